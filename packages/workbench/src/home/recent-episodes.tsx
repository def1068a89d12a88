import { useEffect, useState } from "react";
import { z } from "zod";
import { useLink } from "../server/link.tsx";
import { Panel } from "../ui/panel.tsx";
import { Scroll } from "../ui/scroll.tsx";
import { ago, number } from "../ui/text.ts";

const ASK_EVERY_MS = 4_000;
const SHOWN = 12;

const episodesSchema = z.array(
  z.looseObject({
    env: z.string(),
    episode_id: z.string().nullable(),
    seed: z.number().nullable(),
    begun_at: z.string(),
    steps: z.number(),
    return: z.number(),
    status: z.string(),
    reason: z.string().nullable(),
  }),
);

/** The newest episodes of this server, whoever played them. */
export function RecentEpisodes() {
  const { server } = useLink();
  const [episodes, setEpisodes] = useState<z.infer<typeof episodesSchema> | null>(null);
  const [isUnknown, setUnknown] = useState(false);
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    let isOver = false;
    const ask = async (): Promise<void> => {
      try {
        const read = episodesSchema.safeParse(await server.service("/episodes"));
        if (isOver) return;
        if (read.success) setEpisodes(read.data);
        setUnknown(!read.success);
      } catch {
        if (!isOver) setUnknown(true);
      }
      setNow(Date.now());
    };
    void ask();
    const timer = setInterval(() => void ask(), ASK_EVERY_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [server]);
  return (
    <Panel title="Recent episodes" aside={<span className="quiet">of this server, by anyone</span>}>
      {episodes === null ? (
        <p className={isUnknown ? "empty" : "loading"}>
          {isUnknown ? "This server does not tell its episodes." : "Asking for recent episodes …"}
        </p>
      ) : episodes.length === 0 ? (
        <p className="empty">
          Nothing played yet. Take the tour, play an environment above, or let a program connect:{" "}
          <code>npx praxis play polyguard --policy rule_based</code> plays without this server,{" "}
          <code>GenericEnvClient(base_url=…)</code> with it.
        </p>
      ) : (
        <Scroll label="Recent episodes">
          <table>
            <thead>
              <tr>
                <th scope="col">Environment</th>
                <th scope="col" className="number">
                  Seed
                </th>
                <th scope="col" className="number">
                  Steps
                </th>
                <th scope="col" className="number">
                  Return
                </th>
                <th scope="col">State</th>
                <th scope="col">Begun</th>
              </tr>
            </thead>
            <tbody>
              {episodes.slice(0, SHOWN).map((episode, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: ids of episodes may repeat
                <tr key={index}>
                  <td>{episode.env}</td>
                  <td className="number">{episode.seed ?? "–"}</td>
                  <td className="number">{episode.steps}</td>
                  <td className="number">{number(episode.return)}</td>
                  <td>
                    {episode.status}
                    {episode.reason === null ? "" : `, ${episode.reason.replaceAll("_", " ")}`}
                  </td>
                  <td className="nowrap">{ago(Date.parse(episode.begun_at), now)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </Panel>
  );
}
