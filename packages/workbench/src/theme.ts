/** Light, dark, or as the system says. */
export type Theme = "system" | "light" | "dark";

const KEY = "praxis-theme";

/** The theme chosen in this browser before; the system's where nothing was chosen or storage is closed. */
export function readTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === "light" || kept === "dark" ? kept : "system";
  } catch {
    return "system";
  }
}

/** Shows the theme and keeps it for the next visit. */
export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    if (theme === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // A browser that keeps nothing still shows it.
  }
}
