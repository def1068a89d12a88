import { EnvRegistry } from "@praxis/env";
import { type CardFeedback, loadPolyGuard } from "@praxis/polyguard";
import { createServer } from "@praxis/server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const feedback: CardFeedback[] = [];
const server = createServer({
  registry: new EnvRegistry([
    loadPolyGuard({ cds: { today: () => "2026-03-02", onFeedback: (each) => feedback.push(each) } }),
  ]),
  port: 0,
  page: false,
});
let base = "";

beforeAll(async () => {
  base = `${(await server.listen()).url}/polyguard/cds-services`;
});
afterAll(() => server.close());

const post = (path: string, body: unknown): Promise<Response> =>
  fetch(`${base}/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const order = (id: string, text: string, value: number, status: string) => ({
  resourceType: "MedicationRequest",
  id,
  status,
  intent: "order",
  medicationCodeableConcept: { text },
  dosageInstruction: [
    {
      timing: { repeat: { frequency: 2, period: 1, periodUnit: "d" } },
      doseAndRate: [{ doseQuantity: { value, unit: "mg" } }],
    },
  ],
});
const bundle = (...resources: unknown[]) => ({
  resourceType: "Bundle",
  type: "searchset",
  entry: resources.map((resource) => ({ resource })),
});
const signing = {
  hook: "order-sign",
  hookInstance: "d1577c69-dfbe-44ad-ba6d-3e05e953b2ea",
  context: {
    userId: "Practitioner/1",
    patientId: "p",
    draftOrders: bundle(order("d1", "clarithromycin", 500, "draft")),
  },
  prefetch: {
    patient: { resourceType: "Patient", id: "p", birthDate: "1946-01-01", gender: "male" },
    medications: bundle(order("m1", "simvastatin", 20, "active")),
  },
};

describe("CDS Hooks over HTTP", () => {
  test("discovery, a card, and an override with its reason", async () => {
    const discovered = (await (await fetch(base)).json()) as { readonly services: readonly { readonly id: string }[] };
    expect(discovered.services.map(({ id }) => id)).toContain("polyguard-order-sign");
    const response = await post("polyguard-order-sign", signing);
    expect(response.status).toBe(200);
    const { cards } = (await response.json()) as {
      readonly cards: readonly { readonly uuid: string; readonly indicator: string }[];
    };
    expect(cards[0]!.indicator).toBe("critical");
    const given = await post("polyguard-order-sign/feedback", {
      feedback: [
        {
          card: cards[0]!.uuid,
          outcome: "overridden",
          overrideReason: { reason: { code: "will-monitor" } },
          outcomeTimestamp: "2026-03-02T09:00:00Z",
        },
      ],
    });
    expect(given.status).toBe(200);
    expect(feedback).toMatchObject([{ card: cards[0]!.uuid, reason: "will-monitor" }]);
  });

  test.each([
    ["no JSON", "{", 422, /line 1/],
    ["no patient", { ...signing, prefetch: { medications: signing.prefetch.medications } }, 412, /prefetch.patient/],
    ["another hook", { ...signing, hook: "patient-view" }, 422, /hook/],
  ])("%s is answered with a typed error and no stack trace", async (_, body, status, message) => {
    const response = await post("polyguard-order-sign", body);
    expect(response.status).toBe(status);
    const text = await response.text();
    expect(text).toMatch(message);
    expect(text).not.toMatch(/\bat .*\.(ts|js):\d+/);
  });
});
