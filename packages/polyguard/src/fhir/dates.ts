import { PraxisError } from "@praxis/env";

const PARTIAL = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?:T.*)?$/;

/** Days since 1970-01-01 of a FHIR date or dateTime (partial dates: their first day). Throws INVALID_FHIR for another text. */
export function dayNumber(text: string, path: string): number {
  const match = PARTIAL.exec(text);
  const [year, month, day] = [Number(match?.[1]), Number(match?.[2] ?? 1), Number(match?.[3] ?? 1)];
  const time = Date.UTC(year, month - 1, day);
  const real = new Date(time);
  if (match === null || real.getUTCMonth() !== month - 1 || real.getUTCDate() !== day)
    throw new PraxisError("INVALID_FHIR", `${path} is '${text}', not a date.`);
  return time / 86_400_000;
}

/** Whole days from a date to the day of the review. Throws INVALID_FHIR for a date after it. */
export function ageInDays(text: string, asOf: string, path: string): number {
  const days = dayNumber(asOf, "asOf") - dayNumber(text, path);
  if (days < 0) throw new PraxisError("INVALID_FHIR", `${path} is '${text}', after the day of the review (${asOf}).`);
  return days;
}

/** Completed years of life on the day of the review. */
export function ageInYears(birthDate: string, asOf: string): number {
  ageInDays(birthDate, asOf, "Patient.birthDate");
  const [birthYear = 0, birthMonth = 1, birthDay = 1] = birthDate.slice(0, 10).split("-").map(Number);
  const [year = 0, month = 1, day = 1] = asOf.slice(0, 10).split("-").map(Number);
  return year - birthYear - (month < birthMonth || (month === birthMonth && day < birthDay) ? 1 : 0);
}
