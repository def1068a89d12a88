/**
 * 64-bit hash of a text as 16 hex digits: two lanes of FNV-1a over UTF-16 units with different offsets, each mixed at the
 * end (finaliser of MurmurHash3). It names things (configurations, prompts, cache entries) and is quick on long prompts; it
 * proves nothing against an adversary.
 */
export function hash64(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x01000193) + (a >>> 15);
  }
  return hex(mix(a ^ text.length)) + hex(mix(b));
}

function mix(lane: number): number {
  let h = lane;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function hex(value: number): string {
  return value.toString(16).padStart(8, "0");
}
