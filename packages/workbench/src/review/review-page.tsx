import { PraxisError } from "@praxis/env";
import { RemoteServer } from "@praxis/env/remote";
import { type DragEvent, useId, useRef, useState } from "react";
import { environmentUrl, serverOptions } from "../server/address.ts";
import { useLink } from "../server/link.tsx";
import { describeProblem, type Problem } from "../server/problem.ts";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { Term } from "../ui/term.tsx";
import { type Review, reviewSchema } from "./review-data.ts";
import { ReviewReport } from "./review-report.tsx";

/** The environment that reviews records. */
const REVIEWER = "polyguard";

interface Reviewed {
  readonly file: string;
  readonly bundle: string;
  readonly review: Review;
}

/** Drop a patient's record, see what is dangerous on the list and what an agent would do. */
export function ReviewPage() {
  const { base, token, environments } = useLink();
  const id = useId();
  const picker = useRef<HTMLInputElement>(null);
  const [reviewed, setReviewed] = useState<Reviewed | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [waitsFor, setWaitsFor] = useState<string | null>(null);
  const [isOver, setOver] = useState(false);
  const url = environmentUrl(base, REVIEWER, environments?.length === 1);
  const server = new RemoteServer(serverOptions(url, token));
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    setProblem(null);
    setWaitsFor(file.name);
    try {
      const bundle = await file.text();
      checkJson(file.name, bundle);
      const review = reviewSchema.parse(await server.service("/review", bundle));
      setReviewed({ file: file.name, bundle, review });
    } catch (error) {
      setReviewed(null);
      setProblem(describeProblem(error));
    }
    setWaitsFor(null);
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    void take(event.dataTransfer.files[0]);
  };
  const save = async (form: "html" | "fhir"): Promise<void> => {
    if (reviewed === null) return;
    setProblem(null);
    try {
      const reply = (await server.service(`/review/${form}`, reviewed.bundle)) as { html?: unknown };
      const text = form === "html" ? String(reply.html ?? "") : `${JSON.stringify(reply, null, 2)}\n`;
      download(
        `${reviewed.file.replace(/\.json$/i, "")}-review.${form === "html" ? "html" : "json"}`,
        text,
        form === "html" ? "text/html" : "application/fhir+json",
      );
    } catch (error) {
      setProblem(describeProblem(error));
    }
  };
  return (
    <div className="page">
      <div className="page-head">
        <div>
          <h1>Review a medication list</h1>
          <p className="lead">
            Give a <Term word="fhir">FHIR</Term> R4 Bundle of one patient. You see what was read and what was not, what
            is dangerous on the list, and what an agent of rules would do about it over the coming months.
          </p>
        </div>
        <p className="disclaimer" role="note">
          Research simulation, not medical advice. Not for patient care.
        </p>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is one way of two; the button is the other */}
      <div
        className={isOver ? "drop over" : "drop"}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        <p className="drop-title">{waitsFor === null ? "Drop a bundle here" : `Reviewing ${waitsFor} …`}</p>
        <p className="quiet">
          A .json file. It goes to this server only and is not kept. The repository has examples in{" "}
          <code>examples/patients</code>.
        </p>
        <label className="button primary" htmlFor={id}>
          Choose a file
        </label>
        <input
          ref={picker}
          id={id}
          className="visually-hidden"
          type="file"
          accept=".json,application/json,application/fhir+json"
          onChange={(event) => {
            void take(event.target.files?.[0]);
            // The same file again is to be read again.
            event.target.value = "";
          }}
        />
      </div>
      <ProblemNotice problem={problem} />
      {reviewed === null ? null : (
        <>
          <div className="row report-bar">
            <h2>{reviewed.file}</h2>
            <div className="row">
              <button type="button" onClick={() => void save("html")}>
                Save as HTML
              </button>
              <button type="button" onClick={() => void save("fhir")}>
                Save as FHIR
              </button>
            </div>
          </div>
          <ReviewReport review={reviewed.review} />
        </>
      )}
    </div>
  );
}

/** Throws INVALID_JSON before anything is sent. */
function checkJson(name: string, text: string): void {
  try {
    JSON.parse(text);
  } catch (cause) {
    throw new PraxisError("INVALID_JSON", `${name} is not JSON: ${cause instanceof Error ? cause.message : ""}.`, {
      cause,
    });
  }
}

function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
