import type { RemoteServer } from "@praxis/env/remote";
import type { Beginning, Branch } from "../../play/branch.ts";
import { Panel } from "../../ui/panel.tsx";
import { Scroll } from "../../ui/scroll.tsx";
import { number, words } from "../../ui/text.ts";
import { seconds } from "./observation.ts";
import { useTruth } from "./use-situation.ts";

/** What was true of tasks and people; asked for only after the shift has ended. */
export function TruthPanel(place: {
  readonly server: RemoteServer;
  readonly beginning: Beginning;
  readonly branch: Branch;
  readonly step: number;
}) {
  const truth = useTruth(true, place);
  if (truth === null) return null;
  const seats = truth.seats.filter((seat) => seat !== null);
  const skills = Object.keys(seats[0]?.competence ?? {});
  return (
    <Panel title="What was true" aside={<span className="quiet">hidden until the end</span>}>
      <Scroll label="What each task needed">
        <table>
          <thead>
            <tr>
              <th scope="col">Task</th>
              <th scope="col">Class, shape</th>
              <th scope="col">Skills needed, share of the work</th>
              <th scope="col">Specialists</th>
            </tr>
          </thead>
          <tbody>
            {truth.tasks.map((task, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a task's number is its name
              <tr key={index}>
                <th scope="row">{index + 1}</th>
                <td>
                  {task.class}, {task.shape}
                </td>
                <td>
                  {task.skills.map(({ name, weight }) => `${words(name)} ${number(100 * weight, 2)} %`).join(", ")}
                </td>
                <td className="number">{task.expected}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <h3>People, competence 0 to 1 in each skill needed</h3>
      <Scroll label="True competence of each specialist">
        <table>
          <thead>
            <tr>
              <th scope="col">Slot</th>
              {skills.map((skill) => (
                <th key={skill} scope="col">
                  {words(skill)}
                </th>
              ))}
              <th scope="col">Fails</th>
              <th scope="col">Usual time</th>
            </tr>
          </thead>
          <tbody>
            {seats.map(({ slot, competence, failure, latencyMs }) => (
              <tr key={slot}>
                <th scope="row">{slot}</th>
                {skills.map((skill) => (
                  <td key={skill} className="number">
                    {number(competence[skill] ?? 0, 2)}
                  </td>
                ))}
                <td className="number">{number(100 * failure, 2)} %</td>
                <td className="number">{seconds(latencyMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </Panel>
  );
}
