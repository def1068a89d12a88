/**
 * Makes an element. Strings become text nodes, so what comes from a server is never read as markup; keys of `props` are
 * attributes, or listeners if they begin with "on".
 */
export function el(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true && !key.startsWith("aria-") ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** `snake_case` and `camelCase` names as words in sentence case. */
export function words(name) {
  const text = String(name)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/[_-]+/g, " ")
    .trim();
  // STOP_DRUG is a constant, INR an abbreviation.
  const calm = /^[A-Z0-9]+( [A-Z0-9]+)+$/.test(text) ? text.toLowerCase() : text;
  return calm.charAt(0).toUpperCase() + calm.slice(1);
}

/** A number with at most four decimals. */
export function number(value) {
  return Number.isInteger(value) ? String(value) : String(Number(value.toFixed(4)));
}

export const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
