import { BlockList, isIP } from "node:net";

const PRIVATE = new BlockList();
// IPv4 special-purpose addresses (IANA registry, RFC 6890): this host, private, shared, loopback, link-local with cloud
// metadata, protocol assignments, documentation, benchmarking, multicast, reserved.
for (const [net, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const)
  PRIVATE.addSubnet(net, bits, "ipv4");
// IPv6: unspecified, loopback, discard, translation, documentation, unique local, link-local, old site-local, multicast;
// 6to4 and Teredo carry IPv4 addresses inside.
for (const [net, bits] of [
  ["::", 128],
  ["::1", 128],
  ["100::", 64],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
] as const)
  PRIVATE.addSubnet(net, bits, "ipv6");

/** Whether an IP address is private, local or otherwise special; what is no address counts as private. */
export function isPrivateAddress(address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  const kind = isIP(bare);
  if (kind === 0) return true;
  if (kind === 4) return PRIVATE.check(bare, "ipv4");
  const mapped = /^(?:::ffff:|::)(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? mappedHex(bare);
  if (mapped !== undefined) return PRIVATE.check(mapped, "ipv4");
  return PRIVATE.check(bare, "ipv6");
}

/** The IPv4 address in `::ffff:7f00:1`. */
function mappedHex(address: string): string | undefined {
  const match = /^(?:::ffff:|0*:0*:0*:0*:0*:ffff:)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address);
  if (match === null) return undefined;
  const high = Number.parseInt(match[1]!, 16);
  const low = Number.parseInt(match[2]!, 16);
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}
