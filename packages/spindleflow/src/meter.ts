import { PraxisError } from "@praxis/env";
import { parse } from "yaml";
import { z } from "zod";
import type { BankIndex } from "./bank/bank-index.ts";
import type { TaskRun } from "./engine/run.ts";
import type { EpisodeState } from "./episode.ts";
import { taskText } from "./shift/shift.ts";
import type { Tier } from "./tiers.ts";

const priceSchema = z.strictObject({
  date: z.string(),
  source: z.string(),
  models: z
    .array(z.strictObject({ model: z.string(), priceIn: z.number().min(0), priceOut: z.number().min(0) }))
    .min(1),
  judges: z.record(z.string(), z.string()),
  specialists: z.string(),
});

/** Price of a model, USD per million tokens. */
interface Price {
  readonly priceIn: number;
  readonly priceOut: number;
}

/** Prices by role. */
export interface PriceTable {
  readonly judges: Readonly<Partial<Record<Tier, Price & { readonly model: string }>>>;
  readonly specialists: Price & { readonly model: string };
}

/** Reads `prices.yaml`. Throws INVALID_CONFIG naming the key, or the model that has no price. */
export function parsePrices(text: string): PriceTable {
  const parsed = priceSchema.safeParse(parse(text, { schema: "core" }));
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    throw new PraxisError("INVALID_CONFIG", `prices.yaml, '${path.join(".")}': ${message}.`);
  }
  const { models, judges, specialists } = parsed.data;
  const priceOf = (model: string): Price & { readonly model: string } => {
    const found = models.find((each) => each.model === model);
    if (found !== undefined) return found;
    throw new PraxisError("INVALID_CONFIG", `prices.yaml names model '${model}', which has no price under 'models'.`);
  };
  return {
    judges: Object.fromEntries(Object.entries(judges).map(([tier, model]) => [tier, priceOf(model)])),
    specialists: priceOf(specialists),
  };
}

/** Tokens of a text of so many characters. `assumption:` 3.6 characters a token, as the execution backend estimates. */
const CHARACTERS_PER_TOKEN = 3.6;
/** Length of a simulated output. `assumption:` the scratchpad's limit is 2,000 characters; half of it is usual. */
const OUTPUT_TOKENS = 280;
/** Rubric, instructions and reply of a judge. `assumption:` a short rubric, scores as JSON. */
const JUDGE_PROMPT_TOKENS = 250;
const JUDGE_REPLY_TOKENS = 30;

/** Tokens of one task: what its judges and specialists read and wrote, or would have. Plain data. */
export interface TaskTokens {
  readonly tier: Tier;
  readonly judge: { readonly tokensIn: number; readonly tokensOut: number };
  readonly models: { readonly tokensIn: number; readonly tokensOut: number };
}

/** Meters a finished task: a judgement for each change of the output, one for each single output, two at the end. */
export function meterTask(index: BankIndex, state: EpisodeState, run: TaskRun): TaskTokens {
  const { tier } = state.shift;
  const { task } = taskText(index, state.shift.tasks[state.taskIndex]!);
  const taskTokens = Math.ceil(task.text.length / CHARACTERS_PER_TOKEN);
  const judgements = tier < 2 ? 0 : run.version + run.callCount + 2;
  const perJudgement = JUDGE_PROMPT_TOKENS + taskTokens + OUTPUT_TOKENS;
  return {
    tier,
    judge: { tokensIn: judgements * perJudgement, tokensOut: judgements * JUDGE_REPLY_TOKENS },
    models: { tokensIn: run.callCount * (taskTokens + OUTPUT_TOKENS), tokensOut: run.callCount * OUTPUT_TOKENS },
  };
}

const usd = (price: Price | undefined, { tokensIn, tokensOut }: TaskTokens["judge"]): number =>
  price === undefined ? 0 : (tokensIn * price.priceIn + tokensOut * price.priceOut) / 1e6;

/** Money for metered tasks at a price table. */
export interface Bill {
  readonly judgeUsd: number;
  readonly modelUsd: number;
  readonly judgeUsdPer1000Episodes: number;
  readonly judgeUsdPer1000Tasks: number;
  /** Price factor on the judge at which 1,000 episodes would cost 8 USD, the founding claim; null when the judge is free. */
  readonly factorForFoundingClaim: number | null;
}

/** The founding claim: judging 1,000 episodes at tier 2 costs this much, USD. */
const FOUNDING_CLAIM_USD = 8;

/** Sums metered tasks. @param episodes over how many episodes they were metered */
export function billTasks(prices: PriceTable, tasks: readonly TaskTokens[], episodes: number): Bill {
  let judgeUsd = 0;
  let modelUsd = 0;
  for (const each of tasks) {
    judgeUsd += usd(prices.judges[each.tier], each.judge);
    modelUsd += usd(prices.specialists, each.models);
  }
  const perEpisodes = (1000 * judgeUsd) / Math.max(1, episodes);
  return {
    judgeUsd,
    modelUsd,
    judgeUsdPer1000Episodes: perEpisodes,
    judgeUsdPer1000Tasks: (1000 * judgeUsd) / Math.max(1, tasks.length),
    factorForFoundingClaim: perEpisodes > 0 ? FOUNDING_CLAIM_USD / perEpisodes : null,
  };
}
