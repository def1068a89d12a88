import { useMemo } from "react";
import type { Branch } from "../../play/branch.ts";
import { Panel } from "../../ui/panel.tsx";
import { Plot, type PlotSeries } from "../../ui/plot.tsx";
import { Scroll } from "../../ui/scroll.tsx";
import { Term } from "../../ui/term.tsx";
import { count, number } from "../../ui/text.ts";
import { drugName, labName, unitName } from "./names.ts";
import { asPolyGuard, type BanditBlock, type DosingBlock, type PolyGuardObservation } from "./observation.ts";
import type { LevelDay } from "./use-levels.ts";

/** Everything that a branch showed up to a step. */
function seenUpTo(branch: Branch, step: number): readonly PolyGuardObservation[] {
  return Array.from({ length: step + 1 }, (_, at) => branch.resultAt(at))
    .filter((result) => result !== null)
    .map((result) => asPolyGuard(result.observation));
}

/** `level (mg/L)`; a quantity without a unit stands alone. */
const withUnit = (name: string, unit: string): string => (unitName(unit) === "" ? name : `${name} (${unitName(unit)})`);
const withUnitAfter = (text: string, unit: string): string =>
  unitName(unit) === "" ? text : `${text} ${unitName(unit)}`;

/** Levels with their target band, doses as steps beside them. */
export function DosingPanel({
  dosing,
  days: expected,
}: {
  readonly dosing: DosingBlock;
  /** What the dosing model expects; null while it is not known. */
  readonly days: readonly LevelDay[] | null;
}) {
  const { x, series, bands, interval } = useMemo(() => {
    const days = [...new Set([...dosing.levels, ...dosing.doses, ...(expected ?? [])].map(({ day }) => day))].sort(
      (a, b) => a - b,
    );
    const doseAt = (day: number): number | null =>
      dosing.doses.findLast((dose) => dose.day <= day)?.dose_per_day ?? null;
    const levels: PlotSeries = {
      label: withUnit(labName(dosing.level_code), dosing.unit),
      colour: "--plot-1",
      kind: "marks",
      values: days.map((day) => dosing.levels.find((level) => level.day === day)?.value ?? null),
    };
    const troughs = dosing.levels.some(({ trough }) => trough !== null)
      ? [
          {
            label: withUnit("trough", dosing.unit),
            colour: "--plot-3",
            kind: "marks" as const,
            values: days.map((day) => dosing.levels.find((level) => level.day === day)?.trough ?? null),
          },
        ]
      : [];
    const doses: PlotSeries = {
      label: "dose (mg a day)",
      colour: "--plot-2",
      kind: "steps",
      isRight: true,
      values: days.map(doseAt),
    };
    return {
      x: days,
      series: [
        levels,
        ...(expected === null
          ? []
          : [
              {
                label: "expected by the model",
                colour: "--plot-6",
                kind: "plain" as const,
                values: days.map((day) => expected.find((each) => each.day === day)?.median ?? null),
              },
            ]),
        ...troughs,
        doses,
      ],
      interval:
        expected === null
          ? null
          : {
              label: "90 % interval",
              low: days.map((day) => expected.find((each) => each.day === day)?.low ?? null),
              high: days.map((day) => expected.find((each) => each.day === day)?.high ?? null),
            },
      bands: [{ low: dosing.target.low, high: dosing.target.high, label: "target band" }],
    };
  }, [dosing, expected]);
  const { target } = dosing;
  return (
    <Panel
      title={`Dosing of ${drugName(dosing.drug_id)}`}
      aside={<span className="quiet">{count(dosing.levels.length, "level")}</span>}
    >
      <p className="quiet">
        <Term word="targetBand">Target</Term> {withUnitAfter(`${target.low} to ${target.high}`, dosing.unit)}, toxic{" "}
        {target.toxic < target.low ? "below" : "from"} {target.toxic}
        {target.trough_below === null ? (
          ""
        ) : (
          <>
            , <Term word="trough">trough</Term> below {target.trough_below}
          </>
        )}
        .
      </p>
      {dosing.levels.length === 0 ? (
        <p className="empty">No level measured yet. Each step gives a dose and measures the next level.</p>
      ) : (
        <Plot
          title={`Level and dose of ${drugName(dosing.drug_id)}`}
          x={x}
          xLabel="day of the course (d)"
          yLabel={withUnit(labName(dosing.level_code), dosing.unit)}
          rightLabel="dose (mg a day)"
          series={series}
          bands={bands}
          interval={interval}
        />
      )}
    </Panel>
  );
}

/** Dose, complaints and withdrawal of what is tapered, over the course. */
export function TaperPanel({ branch, step }: { readonly branch: Branch; readonly step: number }) {
  const seen = useMemo(() => seenUpTo(branch, step), [branch, step]);
  const curves = useMemo(() => {
    const tapered = [...new Set(seen.flatMap(({ taper }) => taper.map(({ drug_id: id }) => id)))];
    // Several looks on one day are one point: the last.
    const byDay = new Map(seen.map((each) => [each.course.day, each]));
    const days = [...byDay.keys()];
    const at = [...byDay.values()];
    return tapered.map((drug) => ({
      drug,
      days,
      series: [
        {
          label: "dose (% of the first)",
          colour: "--plot-2",
          kind: "steps" as const,
          values: at.map(({ taper, medications }) => {
            const found = taper.find(({ drug_id: id }) => id === drug);
            if (found !== undefined) return found.pct_of_start;
            return medications.some(({ drug_id: id }) => id === drug) ? 100 : 0;
          }),
        },
        {
          label: "withdrawal (0–1)",
          colour: "--plot-4",
          isRight: true,
          values: at.map(({ taper }) => taper.find(({ drug_id: id }) => id === drug)?.withdrawal_score ?? null),
        },
        {
          label: "complaints, the worst (0–1)",
          colour: "--plot-3",
          isRight: true,
          values: at.map(({ course }) =>
            course.symptoms.length === 0 ? null : Math.max(...course.symptoms.map(({ score }) => score)) / 10,
          ),
        },
      ],
    }));
  }, [seen]);
  if (curves.length === 0) return null;
  const now = seen.at(-1)!;
  return (
    <Panel
      title={<Term word="taper">Tapers</Term>}
      aside={<span className="quiet">{count(curves.length, "drug")}</span>}
    >
      {curves.map(({ drug, days, series }) => {
        const running = now.taper.find(({ drug_id: id }) => id === drug);
        return (
          <div key={drug} className="taper">
            <h3>{drugName(drug)}</h3>
            <p className="quiet">
              {running === undefined
                ? "The taper is over."
                : `Now at ${number(running.pct_of_start)} % of the first dose${
                    running.plan === null
                      ? ""
                      : running.plan.paused
                        ? ", paused"
                        : `, ${number(running.plan.step_pct)} % less every ${running.plan.interval_days} days, next in ${number(running.plan.next_in_days)} days`
                  }.`}
            </p>
            <Plot
              title={`Taper of ${drugName(drug)}`}
              x={days}
              xLabel="day of the course (d)"
              yLabel="dose (% of the first)"
              rightLabel="score (0–1)"
              series={series}
              height={200}
            />
          </div>
        );
      })}
    </Panel>
  );
}

/** A combination whose mean relative risk is above it is dangerous, as the goal of BANDIT_MINING says. */
const DANGEROUS_ABOVE = 1.1;
const SHOWN_PROBES = 60;

/** What was probed and what it showed: pairs of drugs as a grid, combinations by their relative risk. */
export function BanditPanel({ bandit }: { readonly bandit: BanditBlock }) {
  const { drugs, probes } = bandit;
  const sorted = useMemo(() => [...probes].sort((a, b) => b.rr - a.rr), [probes]);
  const found = sorted.filter(({ rr }) => rr > DANGEROUS_ABOVE).length;
  const top = Math.max(DANGEROUS_ABOVE, ...sorted.map(({ rr }) => rr));
  return (
    <Panel
      title={<Term word="bandit">Search for dangerous combinations</Term>}
      aside={<span className="quiet">{count(bandit.probes_left, "probe")} left</span>}
    >
      <p className="quiet">
        {count(probes.length, "probe")} of {count(bandit.population_size, "combination")} of{" "}
        {count(drugs.length, "drug")}, {found} with a <Term word="relativeRisk">relative risk</Term> above{" "}
        {DANGEROUS_ABOVE}.
      </p>
      {probes.length === 0 ? (
        <p className="empty">Nothing probed yet. Each probe tells the relative risk of one combination, with noise.</p>
      ) : (
        <>
          <PairGrid bandit={bandit} />
          <Scroll label="Probed combinations" className="tall">
            <table className="bars">
              <thead>
                <tr>
                  <th scope="col">Combination</th>
                  <th scope="col" className="number">
                    Relative risk (×)
                  </th>
                  <td />
                </tr>
              </thead>
              <tbody>
                {sorted.slice(0, SHOWN_PROBES).map(({ combination, rr }, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a combination may be probed again
                  <tr key={index} className={rr > DANGEROUS_ABOVE ? "found" : undefined}>
                    <th scope="row">
                      {rr > DANGEROUS_ABOVE ? <span aria-hidden="true">▲ </span> : null}
                      {combination.map(drugName).join(" + ")}
                    </th>
                    <td className="number">{number(rr, 3)}</td>
                    <td className="bar-cell">
                      <span
                        className={rr > DANGEROUS_ABOVE ? "bar-fill negative" : "bar-fill"}
                        style={{ width: `${(100 * rr) / top}%` }}
                      />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        </>
      )}
    </Panel>
  );
}

function PairGrid({ bandit }: { readonly bandit: BanditBlock }) {
  const { drugs, probes } = bandit;
  const risk = useMemo(() => {
    const sums = new Map<string, { worst: number; times: number }>();
    for (const { combination, rr } of probes)
      for (const [i, a] of combination.entries())
        for (const b of combination.slice(i + 1)) {
          const key = a < b ? `${a}|${b}` : `${b}|${a}`;
          const known = sums.get(key);
          sums.set(key, { worst: Math.max(known?.worst ?? 0, rr), times: (known?.times ?? 0) + 1 });
        }
    return sums;
  }, [probes]);
  const cell = Math.max(6, Math.min(16, Math.floor(520 / drugs.length)));
  const size = cell * drugs.length;
  return (
    <figure className="pair-grid">
      <svg
        viewBox={`0 0 ${size} ${size}`}
        width={size}
        height={size}
        role="img"
        aria-label={`${risk.size} of ${(drugs.length * (drugs.length - 1)) / 2} pairs of drugs were part of a probe`}
      >
        {drugs.flatMap((a, row) =>
          drugs.slice(0, row).map((b, column) => {
            const known = risk.get(a < b ? `${a}|${b}` : `${b}|${a}`);
            const kind = known === undefined ? "unprobed" : known.worst > DANGEROUS_ABOVE ? "found" : "clear";
            return (
              <rect
                key={`${a}|${b}`}
                x={column * cell}
                y={row * cell}
                width={cell - 1}
                height={cell - 1}
                className={`pair ${kind}`}
              >
                <title>
                  {`${drugName(a)} and ${drugName(b)}: ${known === undefined ? "not probed" : `in ${count(known.times, "probe")}, at most ${number(known.worst, 3)} times the risk`}`}
                </title>
              </rect>
            );
          }),
        )}
      </svg>
      <figcaption>
        <span className="plot-key">
          <span className="swatch pair unprobed" /> not probed
        </span>
        <span className="plot-key">
          <span className="swatch pair clear" /> probed, up to {DANGEROUS_ABOVE} ×
        </span>
        <span className="plot-key">
          <span className="swatch pair found" /> in a probe above {DANGEROUS_ABOVE} ×
        </span>
      </figcaption>
    </figure>
  );
}
