import { useEffect, useMemo, useState } from "react";
import type { EnvironmentModule } from "../environments/module.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { isObject } from "../schema/json-schema.ts";
import { SchemaForm } from "../schema/schema-form.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import type { WireObject } from "./branch.ts";
import type { EpisodeSetup } from "./episode.ts";
import type { Playable } from "./play-page.tsx";
import { drawSeed } from "./random-choice.ts";
import type { EpisodeHolder } from "./use-episode.ts";

/** Largest seed that every OpenEnv server takes without loss. */
const LARGEST_SEED = Number.MAX_SAFE_INTEGER;

function resetSchema(options: unknown): JsonSchema {
  const own = isObject(options) && isObject(options.properties) ? options.properties : {};
  return {
    type: "object",
    properties: {
      seed: {
        type: "integer",
        minimum: 0,
        maximum: LARGEST_SEED,
        title: "Seed",
        description: "the same seed gives the same episode; left out: one is drawn and shown",
      },
      episode_id: { type: "string", maxLength: 255, title: "Episode id" },
      ...(own as Record<string, JsonSchema>),
    },
    required: [],
  };
}

/** The form that begins an episode: seed, episode id and the environment's own options. */
export function ResetPanel({
  playable,
  module,
  holder,
  setup,
}: {
  readonly playable: Playable;
  readonly module: EnvironmentModule | null;
  readonly holder: EpisodeHolder;
  readonly setup: EpisodeSetup;
}) {
  const { metadata } = playable;
  const schema = useMemo(() => resetSchema(metadata.reset_options), [metadata]);
  const [values, setValues] = useState<WireObject | null>(module?.resetDefaults ?? null);
  const { episode } = holder;
  const first = episode?.branches[0];
  const begin = (given: WireObject): void => {
    const { seed, episode_id: episodeId, ...options } = given;
    void holder.begin(setup, {
      seed: typeof seed === "number" ? seed : drawSeed(),
      episodeId: typeof episodeId === "string" && episodeId !== "" ? episodeId : null,
      options,
    });
  };
  const refused = first?.start === null ? (first.problem?.fields ?? []) : [];
  const [isOpen, setOpen] = useState(episode === null);
  useEffect(() => {
    if (episode !== null) setOpen(false);
  }, [episode]);
  return (
    <details className="panel reset" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2>Begin an episode</h2>
        {episode === null ? null : (
          <span className="quiet">
            now: seed {episode.beginning.seed}
            {Object.entries(episode.beginning.options)
              .filter(([, value]) => ["string", "number"].includes(typeof value))
              .map(([name, value]) => `, ${name.replaceAll("_", " ")} ${String(value)}`)
              .join("")}
          </span>
        )}
      </summary>
      {module === null || module.presets.length === 0 ? null : (
        <div className="row presets">
          <span className="quiet">Start with</span>
          {module.presets.map(({ name, seed, options }) => (
            <button
              key={name}
              type="button"
              className="chip"
              onClick={() => {
                const all = { ...module.resetDefaults, ...options };
                setValues({ seed, ...all });
                setOpen(false);
                begin({ seed, ...all });
              }}
            >
              {name}
            </button>
          ))}
        </div>
      )}
      <SchemaForm
        schema={schema}
        values={values}
        refused={refused}
        label="Begin an episode"
        onSubmit={(value) => {
          begin(value);
          setOpen(false);
        }}
      >
        <button type="submit" className="primary">
          Reset
        </button>
      </SchemaForm>
      {first !== undefined && first.start === null ? <ProblemNotice problem={first.problem} /> : null}
    </details>
  );
}
