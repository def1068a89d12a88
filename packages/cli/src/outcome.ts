/** Ends a command with exit code 1: it ran, and what it looked at is bad. An empty message adds no line. */
export class CheckFailed extends Error {
  override readonly name = "CheckFailed";
}
