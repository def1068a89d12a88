export { type CallOptions, type ConnectOptions, connect, RemoteEnv, type RemoteResult } from "./remote-env.ts";
export { isRetryable } from "./remote-error.ts";
export {
  type RemoteHealth,
  type RemoteMetadata,
  type RemoteSchemas,
  RemoteServer,
  type ServerOptions,
} from "./remote-server.ts";
export { type RemoteTool, RemoteTools } from "./remote-tools.ts";
export type { SocketClass, SocketLike } from "./web-socket.ts";
