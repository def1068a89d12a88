import type { ReadClaim } from "./types.ts";

/** The sentence that states a claim; {@link readClaims} reads it back. */
export function claimSentence({ subject, predicate, object, value, unit }: ReadClaim): string {
  switch (predicate) {
    case "interaction":
      return value === "none"
        ? `${subject} with ${object}: no relevant interaction.`
        : `${subject} with ${object}: ${value} interaction.`;
    case "max_dose":
      return `${subject}: highest dose ${value} ${unit}.`;
    case "renal":
      return `${subject}, kidneys: ${value}.`;
    case "monitoring":
      return `${subject}: monitor ${value}.`;
    case "indication":
      return `${subject} is used for ${value}.`;
  }
}

const NAME = "([a-z][a-z0-9_]*)";
const PATTERNS: readonly { readonly pattern: RegExp; readonly read: (match: readonly string[]) => ReadClaim }[] = [
  {
    pattern: new RegExp(`\\b${NAME} with ${NAME}: (no relevant|moderate|major|contraindicated) interaction\\.`, "g"),
    read: ([, subject, object, value]) => ({
      subject: subject!,
      predicate: "interaction",
      object: object!,
      value: value === "no relevant" ? "none" : value!,
      unit: null,
    }),
  },
  {
    pattern: new RegExp(`\\b${NAME}: highest dose (\\S+) (\\S+)\\.(?= |$)`, "g"),
    read: ([, subject, value, unit]) => ({ ...about(subject!, "max_dose", value!), unit: unit! }),
  },
  {
    pattern: new RegExp(`\\b${NAME}, kidneys: (.+?)\\.(?= |$)`, "g"),
    read: ([, subject, value]) => about(subject!, "renal", value!),
  },
  {
    pattern: new RegExp(`\\b${NAME}: monitor ([A-Za-z0-9_, ]+)\\.`, "g"),
    read: ([, subject, value]) => about(subject!, "monitoring", value!),
  },
  {
    pattern: new RegExp(`\\b${NAME} is used for ([A-Z0-9_, ]+)\\.`, "g"),
    read: ([, subject, value]) => about(subject!, "indication", value!),
  },
];

function about(subject: string, predicate: ReadClaim["predicate"], value: string): ReadClaim {
  return { subject, predicate, object: null, value, unit: null };
}

/** Claims whose whole sentence stands in the text, in the order of the patterns. */
export function readClaims(text: string): readonly ReadClaim[] {
  return PATTERNS.flatMap(({ pattern, read }) => [...text.matchAll(pattern)].map((match) => read(match)));
}
