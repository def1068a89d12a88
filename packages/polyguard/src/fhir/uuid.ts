import { hashText } from "@praxis/env";

/** UUID (version 8, RFC 9562) made of a text: equal texts give equal UUIDs. @param mark hexadecimal digit kept readable in it, see {@link markOfUuid} */
export function uuidOf(text: string, mark = 0): string {
  const hex = hashText(text) + hashText(`${text}\u0000`);
  const variant = (8 + (Number.parseInt(hex[16]!, 16) % 4)).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${mark.toString(16)}${hex.slice(13, 15)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The mark of a UUID of {@link uuidOf}; null for any other text. */
export function markOfUuid(uuid: string): number | null {
  const match = /^[0-9a-f]{8}-[0-9a-f]{4}-8([0-9a-f])[0-9a-f]{2}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.exec(uuid);
  return match === null ? null : Number.parseInt(match[1]!, 16);
}
