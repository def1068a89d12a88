import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { HomePage } from "./home/home-page.tsx";
import { parseRoute, type Route, useHash } from "./router.ts";
import { Link, LinkProvider } from "./server/link.tsx";
import { applyTheme, readTheme, type Theme } from "./theme.ts";

// Home comes first and alone: the others are fetched when they are opened.
const PlayPage = lazy(async () => ({ default: (await import("./play/play-page.tsx")).PlayPage }));
const ReviewPage = lazy(async () => ({ default: (await import("./review/review-page.tsx")).ReviewPage }));
const FlowPage = lazy(async () => ({ default: (await import("./flow/flow-page.tsx")).FlowPage }));

const PAGES: readonly { readonly page: Route["page"]; readonly href: string; readonly name: string }[] = [
  { page: "home", href: "#/", name: "Home" },
  { page: "play", href: "#/play/", name: "Play" },
  { page: "review", href: "#/review", name: "Review" },
  { page: "flow", href: "#/flow", name: "Agent runs" },
];

/** The whole page: bar, navigation, and the part that the address names. */
export function App() {
  const hash = useHash();
  const route = useMemo(() => parseRoute(hash), [hash]);
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: focus moves when the page changes, not at its every redraw
  useEffect(() => {
    if (first.current) first.current = false;
    else main.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [route.page]);
  return (
    <LinkProvider>
      <button type="button" className="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <header className="bar">
        <a className="brand" href="#/">
          <BrandMark />
          Praxis
        </a>
        <nav aria-label="Pages">
          {PAGES.map(({ page, href, name }) => (
            <a key={page} href={href} aria-current={route.page === page ? "page" : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <div className="bar-end">
          <Link />
          <ThemeSwitch />
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <Suspense fallback={<p className="page loading">Loading this page …</p>}>
          <Page route={route} />
        </Suspense>
      </main>
    </LinkProvider>
  );
}

function Page({ route }: { readonly route: Route }) {
  switch (route.page) {
    case "home":
      return <HomePage />;
    case "play":
      return <PlayPage key={`${route.url ?? ""}|${route.env}`} env={route.env} url={route.url} isTour={route.isTour} />;
    case "review":
      return <ReviewPage />;
    case "flow":
      return <FlowPage run={route.run} />;
  }
}

function BrandMark() {
  return (
    <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
      <rect width="32" height="32" rx="8" className="brand-ground" />
      <path d="M10 25V8h7a5.5 5.5 0 0 1 0 11h-7" className="brand-line" />
      <circle cx="23.5" cy="23.5" r="2.5" className="brand-dot" />
    </svg>
  );
}

const THEMES: readonly Theme[] = ["system", "light", "dark"];

function ThemeSwitch() {
  const [theme, setTheme] = useState(readTheme);
  return (
    <label className="theme">
      <span className="visually-hidden">Colours</span>
      <select
        value={theme}
        onChange={(event) => {
          const next = event.target.value as Theme;
          applyTheme(next);
          setTheme(next);
        }}
      >
        {THEMES.map((name) => (
          <option key={name} value={name}>
            {name === "system" ? "System" : name === "light" ? "Light" : "Dark"}
          </option>
        ))}
      </select>
    </label>
  );
}
