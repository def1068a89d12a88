/** 32-bit FNV-1a of the UTF-16 units of `text`, continued from `seed`. Source: Fowler, Noll, Vo. */
function fnv1a32(text: string, seed: number): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}

/** Two hex digits by byte: number formatting by radix is a slow call. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Ids of one step's candidates: `c_` and 8 hex digits over the step's nonce and the canonical payload. */
export function makeIdMaker(nonce: string): (canonical: string) => string {
  const seed = fnv1a32(nonce, 0x811c9dc5 | 0);
  return (canonical) => {
    let hash = fnv1a32(canonical, seed);
    // FNV's last bytes reach only the low bits; this finish (MurmurHash3) spreads them.
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
    return `c_${HEX[hash >>> 24]}${HEX[(hash >>> 16) & 255]}${HEX[(hash >>> 8) & 255]}${HEX[hash & 255]}`;
  };
}
