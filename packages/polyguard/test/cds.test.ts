import { describe, expect, test } from "vitest";
import { NOTICE } from "../src/index.ts";
import { allergy, condition, makeServices, order, request, value } from "./cds-fixtures.ts";

const { ask, send, find, answer, feedback } = makeServices();

describe("discovery", () => {
  test("three hooks are offered, each with the prefetch that it needs and the notice", async () => {
    const { services } = (await find("/cds-services").call("")) as {
      readonly services: readonly { readonly hook: string; readonly description: string; readonly prefetch: object }[];
    };
    expect(services.map(({ hook }) => hook)).toEqual(["patient-view", "order-select", "order-sign"]);
    for (const { description, prefetch } of services) {
      expect(description).toContain(NOTICE);
      expect(Object.keys(prefetch)).toEqual(expect.arrayContaining(["patient", "medications", "allergies"]));
    }
  });
});

describe("cards", () => {
  const atrialFibrillation = [condition("I48.0"), condition("E78.5")];

  test("a contraindicated pair is critical, names severity, mechanism, source and management, and its first suggestion resolves it", async () => {
    const [card] = await ask("order-sign", {
      orders: [order("m1", "simvastatin", 20)],
      conditions: atrialFibrillation,
      drafts: [order("d1", "clarithromycin", 500, 2)],
    });
    expect(card!.indicator).toBe("critical");
    expect(card!.summary).toContain("simvastatin");
    expect(card!.detail).toMatch(/\*\*contraindicated\*\*.*CYP3A4.*What would manage it: .*Source: FDA label/s);
    expect(card!.detail).toContain(NOTICE);
    expect(card!.suggestions![0]!.actions).toContainEqual({
      type: "delete",
      description: "Remove the order of clarithromycin",
      resourceId: "MedicationRequest/d1",
    });
    expect(card!.overrideReasons!.length).toBeGreaterThan(0);
  });

  test("order-select judges only the selected drafts", async () => {
    const drafts = [order("d1", "ibuprofen", 400, 3), order("d2", "acetaminophen", 500, 2)];
    const orders = [order("m1", "warfarin", 5)];
    const all = { orders, conditions: atrialFibrillation, drafts };
    const warned = await ask("order-select", { ...all, selections: ["MedicationRequest/d1"] });
    const calm = await ask("order-select", { ...all, selections: ["MedicationRequest/d2"] });
    expect(warned.some(({ summary }) => summary.includes("ibuprofen with") || summary.includes("+ ibuprofen"))).toBe(
      true,
    );
    expect(calm.filter(({ indicator }) => indicator !== "info")).toEqual([]);
  });

  test("one cause is one card: what a drug does with several others is not repeated", async () => {
    const cards = await ask("patient-view", {
      orders: [
        order("m1", "warfarin", 5),
        order("m2", "ibuprofen", 400, 3),
        order("m3", "lisinopril", 20),
        order("m4", "hydrochlorothiazide", 25),
      ],
      conditions: [...atrialFibrillation, condition("I10"), condition("M17.0")],
      observations: [value("2160-0", 1.4, "mg/dL")],
    });
    const loud = cards.filter(({ indicator }) => indicator !== "info");
    expect(loud).toHaveLength(1);
    expect(loud[0]!.summary).toMatch(/^Major interaction: ibuprofen with /);
  });

  test("moderate findings share one card that does not interrupt and asks for no reason", async () => {
    const cards = await ask("patient-view", {
      orders: [order("m1", "warfarin", 5), order("m2", "sertraline", 50), order("m3", "simvastatin", 20)],
      conditions: [...atrialFibrillation, condition("F32.9")],
    });
    expect(cards.map(({ indicator }) => indicator)).toEqual(["info"]);
    expect(cards[0]!.summary).toMatch(/^\d moderate findings: /);
    expect(cards[0]!.overrideReasons).toBeUndefined();
  });

  test("a rule whose condition is false has no card, the same rule with the condition true has one", async () => {
    const list = {
      orders: [order("m1", "lisinopril", 20), order("m2", "spironolactone", 25)],
      conditions: [condition("I10"), condition("I50.2")],
    };
    const loud = async (creatinine: number, potassium: number): Promise<number> =>
      (
        await ask("patient-view", {
          ...list,
          observations: [
            value("2160-0", creatinine, "mg/dL"),
            value("2823-3", potassium, "mmol/L"),
            value("29463-7", 70, "kg"),
            value("8302-2", 165, "cm"),
          ],
        })
      ).filter(({ indicator, summary }) => indicator !== "info" && summary.includes("spironolactone")).length;
    expect(await loud(0.6, 4.2)).toBe(0);
    expect(await loud(1.9, 5.4)).toBeGreaterThan(0);
    const [unknown] = await ask("patient-view", { ...list, observations: [] });
    expect(unknown!.detail).toContain("Not known, so taken as given: CrCl, K.");
  });

  test("an allergy to penicillin: amoxicillin and co-amoxiclav are hits, cefalexin is a caution, doxycycline nothing", async () => {
    const topic = async (drug: string): Promise<string | undefined> =>
      (await ask("order-sign", { allergies: [allergy("penicillin")], drafts: [order("d1", drug, 500, 3)] })).find(
        ({ source }) => source.topic.code === "allergy",
      )?.indicator;
    expect(await topic("amoxicillin")).toBe("critical");
    expect(await topic("co-amoxiclav")).toBe("critical");
    expect(await topic("cefalexin")).toBe("warning");
    expect(await topic("doxycycline")).toBeUndefined();
  });

  test("a draft of an ingredient that is ordered already shows both orders and their sum", async () => {
    const cards = await ask("order-sign", {
      orders: [order("m1", "Advil 200 MG Oral Tablet", 200, 3)],
      conditions: [condition("M17.0")],
      drafts: [order("d1", "ibuprofen", 400, 2)],
    });
    const card = cards.find(({ source }) => source.topic.code === "duplicate-therapy")!;
    expect(card.summary).toBe("ibuprofen is ordered 2 times, together 1400 mg/d");
    expect(card.detail).toMatch(/d1.*m1|m1.*d1/);
  });

  test("a draft with the id of a current order takes its place", async () => {
    const cards = await ask("order-sign", {
      orders: [order("m1", "ibuprofen", 200, 3)],
      drafts: [order("m1", "ibuprofen", 400, 2)],
    });
    expect(cards.some(({ source }) => source.topic.code === "duplicate-therapy")).toBe(false);
  });

  test("what was not recognised or not sent is said to be not checked", async () => {
    const body = request("order-sign", { drafts: [order("d1", "Wonder root extract", 100)] });
    body.prefetch.allergies = null;
    const { cards } = (await send("order-sign", body)) as { cards: { summary: string; detail: string }[] };
    expect(cards[0]!.summary).toBe("Not checked: Wonder root extract, allergies");
    expect(cards[0]!.detail).toContain("nothing was checked for it");
  });

  test("methotrexate every day is critical in the review of a chart", async () => {
    const cards = await ask("patient-view", {
      orders: [order("m1", "methotrexate", 2.5, 1)],
      conditions: [condition("M06.9")],
    });
    expect(cards.find(({ source }) => source.topic.code === "dose")?.indicator).toBe("critical");
  });

  test("texts of a record can't become markup", async () => {
    const body = request("patient-view", { orders: [order("m1", "<b onmouseover=x>[a](javascript:x)</b>", 5)] });
    const { cards } = (await send("patient-view", body)) as { cards: { detail: string }[] };
    expect(cards[0]!.detail).not.toMatch(/<b|[^\\]\[a/);
  });

  test("equal requests give equal answers, and no card is told twice", async () => {
    const body = request("order-sign", {
      orders: [order("m1", "warfarin", 5), order("m2", "digoxin", 0.25)],
      drafts: [order("d1", "amiodarone", 200), order("d2", "clarithromycin", 500, 2)],
    });
    const first = await send("order-sign", body);
    expect(await send("order-sign", body)).toEqual(first);
    const uuids = (first as { cards: { uuid: string }[] }).cards.map(({ uuid }) => uuid);
    expect(new Set(uuids).size).toBe(uuids.length);
  });
});

describe("bad requests", () => {
  const good = () => request("order-select", { drafts: [order("d1", "ibuprofen", 400)], selections: [] });

  test.each([
    ["text that is no JSON, with line and column", '{"hook": ', "INVALID_FHIR", /line 1, column/],
    ["another hook", { ...good(), hook: "order-sign" }, "VALIDATION_ERROR", /hook: .*'order-select', not 'order-sign'/],
    ["a hook nobody knows", { ...good(), hook: "toast-sign" }, "VALIDATION_ERROR", /hook/],
    [
      "no selections",
      { ...good(), context: { ...good().context, selections: undefined } },
      "VALIDATION_ERROR",
      /context.selections/,
    ],
    [
      "a selection that is no draft",
      { ...good(), context: { ...good().context, selections: ["MedicationRequest/zz"] } },
      "VALIDATION_ERROR",
      /'MedicationRequest\/zz' is not among the draft orders/,
    ],
    [
      "no patient",
      { ...good(), prefetch: { medications: good().prefetch.medications } },
      "PRECONDITION_FAILED",
      /prefetch.patient/,
    ],
    [
      "no medications",
      { ...good(), prefetch: { patient: good().prefetch.patient } },
      "PRECONDITION_FAILED",
      /prefetch.medications/,
    ],
    [
      "the record of somebody else",
      { ...good(), context: { ...good().context, patientId: "q" } },
      "VALIDATION_ERROR",
      /context.patientId: It is 'q', but prefetch.patient is 'p'/,
    ],
    [
      "a draft without an id",
      {
        ...good(),
        context: {
          ...good().context,
          draftOrders: { resourceType: "Bundle", entry: [{ resource: { resourceType: "MedicationRequest" } }] },
        },
      },
      "VALIDATION_ERROR",
      /draftOrders.entry.0.resource.id/,
    ],
  ])("%s is refused by name", async (_, body, code, message) => {
    await expect(send("order-select", body)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });
});

describe("feedback", () => {
  const cardOf = async (name: string, dose: number): Promise<string> => {
    const cards = await ask("order-sign", {
      orders: [order("m1", "simvastatin", 20), order("m2", "warfarin", 5)],
      conditions: [condition("I48.0"), condition("E78.5"), condition("F32.9")],
      drafts: [order("d1", name, dose, 2)],
    });
    return cards[0]!.uuid;
  };
  const overridden = (card: string, overrideReason?: unknown) => ({
    card,
    outcome: "overridden",
    outcomeTimestamp: "2026-03-02T09:00:00Z",
    ...(overrideReason === undefined ? {} : { overrideReason }),
  });

  test("overriding a critical card without a reason, or with a blank one, is refused and nothing is kept", async () => {
    const card = await cardOf("clarithromycin", 500);
    const before = feedback.length;
    for (const reason of [undefined, {}, { userComment: "   " }, { reason: { code: " " } }])
      await expect(answer("order-sign", [overridden(card, reason)])).rejects.toMatchObject({
        code: "VALIDATION_ERROR",
        message: expect.stringContaining("asks for a reason"),
      });
    await expect(
      answer("order-sign", [overridden(card, { userComment: "monitored" }), overridden(card)]),
    ).rejects.toMatchObject({ message: expect.stringContaining("feedback.1.overrideReason") });
    expect(feedback.length).toBe(before);
  });

  test("with a reason it is kept with card, severity and reason", async () => {
    const card = await cardOf("clarithromycin", 500);
    await answer("order-sign", [overridden(card, { reason: { code: "will-monitor" }, userComment: "CK in a week" })]);
    expect(feedback.at(-1)).toEqual({
      service: "polyguard-order-sign",
      card,
      indicator: "critical",
      outcome: "overridden",
      acceptedSuggestions: [],
      reason: "will-monitor",
      comment: "CK in a week",
      at: "2026-03-02T09:00:00Z",
    });
  });

  test("a card of another service, and an acceptance of nothing, are refused", async () => {
    const at = { outcomeTimestamp: "2026-03-02T09:00:00Z" };
    await expect(
      answer("order-sign", [{ card: "4e0a3a1e-3283-4575-ab82-028d55fe2719", outcome: "overridden", ...at }]),
    ).rejects.toMatchObject({ message: expect.stringContaining("feedback.0.card") });
    await expect(
      answer("order-sign", [{ card: await cardOf("clarithromycin", 500), outcome: "accepted", ...at }]),
    ).rejects.toMatchObject({ message: expect.stringContaining("acceptedSuggestions") });
  });
});
