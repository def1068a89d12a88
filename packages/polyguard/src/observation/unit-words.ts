/** A UCUM unit as it is read after a number, with the space before it; an annotation such as `{INR}` is no unit and adds nothing. */
export function unitInWords(unit: string): string {
  const words = unit.replaceAll(/\{[^}]*\}/g, "").replaceAll(/[[\]]/g, "");
  return words === "" ? "" : ` ${words}`;
}
