/** What a pharmacist would do about each hazard family, in words; assumption: written by us, for the packs' readers. */
export const ADVICE = {
  // A function is told whether one of some drugs is part of the hazard.
  H01: "stop the NSAID and treat the pain with acetaminophen or a topical NSAID; keep the anticoagulant",
  H02: (has) =>
    has("potassium_chloride")
      ? "stop the potassium supplement, check K and creatinine in a week"
      : "stop the potassium-sparing drug or lower it, check K and creatinine in a week",
  H03: "replace the thiazide (amlodipine, say) or move to an antidepressant with less effect on sodium; check Na",
  H04: "stop the NSAID; keep RAS inhibitor and diuretic if blood pressure and heart need them; check creatinine",
  H05: "take the bladder antimuscarinic away (mirabegron if something is needed) so that the cholinesterase inhibitor can work",
  H06: (has) =>
    has("gabapentin", "pregabalin")
      ? "lower or taper the gabapentinoid beside the opioid; naloxone at home meanwhile"
      : "taper the hypnotic or anxiolytic beside the opioid, never at once after long use; naloxone at home meanwhile",
  H07: "change the long-acting sulfonylurea for a DPP-4 inhibitor; lows are worse than a high A1c here",
  H08: "lower digoxin to what the kidneys clear and check the level; mind macrolide or amiodarone beside it",
  H09: "change the drug that raises lithium for another, check the level in a week, lower the dose meanwhile",
  H10: (has) =>
    has("clarithromycin", "erythromycin")
      ? "pause the statin until the antibiotic is over, or use azithromycin"
      : "change the statin for pravastatin or rosuvastatin, or the other drug",
  H11: "stop one of the two, the later one as a rule, and tell both prescribers; taper where the class needs it",
  H12: "halve the PPI for four weeks, then stop; on demand after that",
  H13: "stop metformin below an eGFR of 30; linagliptin needs no kidney",
  H14: "lower the dose to the renal limit",
  H15: "take levothyroxine four hours apart from calcium or iron; TSH in six weeks",
  H16: "change omeprazole or esomeprazole for pantoprazole",
  H17: (has) =>
    has("tamoxifen")
      ? "change the antidepressant for one that leaves CYP2D6 alone (sertraline, venlafaxine); tamoxifen stays"
      : "this opioid does not work here: change it, or the inhibitor",
  H18: "weekly, on a named day; blood count and liver tests now, folic acid",
  H19: (has) =>
    has("warfarin")
      ? "another antibiotic (nitrofurantoin if the kidneys allow); else INR within three days"
      : has("phenytoin")
        ? "another antibiotic; else a phenytoin level within days"
        : "another antibiotic; else potassium within three days",
  H20: "correct potassium first, stop one of the two, ECG",
  H21: "change the calcium channel blocker, then the loop diuretic can go",
  H22: "take the cholinesterase inhibitor down if it brings no benefit, then the antimuscarinic can go",
  H23: "stop the dopamine blocker, wait four weeks, then take levodopa down",
  H24: "stop the NSAID, then the blood pressure drug that was added for it",
  H25: "change the thiazide for another antihypertensive, then the gout drug can go",
  H26: "move the antidepressant to one that lets sleep, then taper the hypnotic",
  H27: "end or change the cause first, the drug that was added for its effect second",
  H28: "start what is missing, inside the renal rule, with its monitoring",
  H29: "stop one of the two that slow the heart; a beta-blocker slowly",
  H30: "take the beta-blocker away before clonidine, and clonidine by steps of days",
  H31: "taper over months, 5-10 % every two weeks, with sleep advice; never stop at once",
  H32: "taper by 10 % a month (a week if under a year), watching pain and mood",
  H33: "take the antipsychotic down by a quarter every two weeks; other ways for behaviour or sleep",
  H34: "take the steroid down slowly below 10 mg, watching for adrenal signs",
  H35: "set the DOAC to the dose of the label for these kidneys, this weight and age",
  H36: (has) =>
    has("aspirin_low_dose") && !has("clopidogrel", "ticagrelor")
      ? "the anticoagulant alone is enough for stable disease: stop aspirin"
      : "twelve months are over: stop the P2Y12 inhibitor, aspirin stays",
  H37: (has) =>
    has("st_johns_wort")
      ? "ask what is bought without prescription: St John's wort must go, the anticoagulant is too weak beside it"
      : has("diphenhydramine")
        ? "ask what is bought without prescription: the sedating antihistamine must go"
        : "ask what is bought without prescription: no NSAID beside an anticoagulant",
  H38: "stop it and give a drug outside that class",
  H39: "no serotonergic drug beside an MAO-B inhibitor: change one, mind the washout",
  H40: (has) =>
    has("ciprofloxacin")
      ? "another antibiotic; else pause the victim for the course"
      : "change the inhibitor (another antidepressant, famotidine for cimetidine)",
  H41: (has) =>
    has("amiodarone")
      ? "lower the titrated drug by a third to a half and check INR or level weekly; amiodarone acts for months after a stop"
      : "leave the pair alone unless there is a reason; if the inducer goes, warfarin must come down in steps, INR at every visit",
  H42: (has) =>
    has("fluconazole", "metronidazole")
      ? "end or change the antimicrobial, or move to another anticoagulant; INR weekly until it settles"
      : "the inducer takes the anticoagulant's effect: another antiseizure drug (levetiracetam) by cross-over, or another anticoagulant without a gap",
  H43: "enough time and dose? then change to another class, one trial at a time",
  H44: "start a beta-blocker very low, double every two weeks; the first weeks may feel worse",
  H45: (has) =>
    has("codeine")
      ? "codeine does not work beside fluoxetine: another analgesic now, as fluoxetine acts for five weeks after a stop"
      : "lower metoprolol or change it for bisoprolol now: fluoxetine acts for five weeks after a stop",
  UNTREATED: "start a first-line drug that kidneys, diseases and list allow, low and slow where its class asks for it",
};

/** Where the drug of the family must go, another reading than {@link ADVICE}. */
export const SUBSTITUTION_ADVICE = {
  H35: "change it for an anticoagulant whose dose is plain for these kidneys, this weight and age (apixaban, say)",
};

/** Tasks without hazard families. */
export const TASK_ADVICE = {
  dangerous_combinations:
    "Probe wide sets first, shrink what is dangerous to the fewest drugs, declare only what was confirmed",
  precision_dosing:
    "Measure, estimate what this patient clears from the levels, and move the dose by that inside the step limit",
  new_drug:
    "Buy the facts that matter for this list and these kidneys, estimate the exposure, start at that share of the dose or not at all",
};
