/** `step_count` and `stepCount` as "Step count"; abbreviations in capitals stay when they stand alone. */
export function words(name: string): string {
  if (/^[A-Z0-9]{2,5}$/.test(name)) return name;
  const text = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/[_-]+/g, " ")
    .trim()
    .toLowerCase();
  return text === "" ? name : text[0]!.toUpperCase() + text.slice(1);
}

/** A number in few digits; what is not finite is named. */
export function number(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "infinite" : "minus infinite";
  if (Number.isInteger(value)) return value.toLocaleString("en");
  return String(Number(value.toPrecision(digits)));
}

/** With sign, for differences. */
export const signed = (value: number, digits = 3): string =>
  `${value > 0 ? "+" : value < 0 ? "−" : "±"}${number(Math.abs(value), digits)}`;

/** "1 step", "2 steps". */
export const count = (n: number, one: string, many = `${one}s`): string =>
  `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

/** How long ago, in words. */
export function ago(thenMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.round((nowMs - thenMs) / 1000));
  if (seconds < 5) return "just now";
  if (seconds < 90) return `${seconds} seconds ago`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} minutes ago`;
  const hours = Math.round(minutes / 60);
  return hours < 36 ? `${hours} hours ago` : `${Math.round(hours / 24)} days ago`;
}

/** An action in one line, without what every action repeats and what was left empty. */
export function summarizeAction(
  action: Readonly<Record<string, unknown>>,
  hidden: readonly string[] = ALWAYS_SAME,
): string {
  const parts = Object.entries(action)
    .filter(([key, value]) => !hidden.includes(key) && value !== "" && !(Array.isArray(value) && value.length === 0))
    .map(([key, value]) => `${words(key)} ${typeof value === "object" ? JSON.stringify(value) : String(value)}`);
  const text = parts.join(", ") || "no fields";
  return text.length > 240 ? `${text.slice(0, 240)}…` : text;
}

const ALWAYS_SAME = ["schema_version", "step_nonce", "metadata"];
