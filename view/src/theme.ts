/** Light, dark, or as the system has it. */

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const PLACE = "acpgen-view-theme";

export function savedTheme(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(PLACE)) ?? "auto";
  } catch {
    return "auto"; // A browser may refuse storage to a file.
  }
}

export function applyTheme(theme: Theme): void {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(PLACE, theme);
  } catch {
    // It then lasts as long as the page.
  }
}

export const nextTheme = (theme: Theme): Theme =>
  THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "auto";
