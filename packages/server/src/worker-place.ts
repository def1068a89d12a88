import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { PraxisError } from "@praxis/env";

/** Most workers whose number fits into the first two digits of an id. */
const MAX_WORKERS = 256;

/** Which of several worker processes this one is, and where the others are reached. */
export interface WorkerPlace {
  /** 0 … workers − 1 */
  readonly index: number;
  readonly workers: number;
  /** Folder of the workers' sockets. */
  readonly directory: string;
}

/** Path of the local socket of a worker. */
export function socketPath(place: WorkerPlace, index: number): string {
  return join(place.directory, `${index}.sock`);
}

/** A version 4 UUID that begins with the number of its worker in two hex digits; 114 bits of it are random. */
export function newWorkerId(index: number): string {
  return index.toString(16).padStart(2, "0") + randomUUID().slice(2);
}

/** Number of the worker that made `id`, or null if none of them did. */
export function ownerOf(id: string, workers: number): number | null {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(id)) return null;
  const owner = Number.parseInt(id.slice(0, 2), 16);
  return owner < workers ? owner : null;
}

/** The text by which a worker is told its place, and back. */
export function formatPlace({ index, workers, directory }: WorkerPlace): string {
  return `${index}/${workers}/${directory}`;
}

/** Reads {@link formatPlace}. Throws INVALID_CONFIG. */
export function parsePlace(text: string): WorkerPlace {
  const [, index, workers, directory] = /^(\d+)\/(\d+)\/(.+)$/s.exec(text) ?? [];
  const place = { index: Number(index), workers: Number(workers), directory: directory ?? "" };
  if (!(place.index < place.workers && place.workers <= MAX_WORKERS))
    throw new PraxisError("INVALID_CONFIG", `'${text}' is not the place of a worker.`);
  return place;
}

/** Throws INVALID_CONFIG unless `workers` is an integer from 1 to 256. */
export function checkWorkers(workers: number): void {
  if (!(Number.isInteger(workers) && workers >= 1 && workers <= MAX_WORKERS))
    throw new PraxisError("INVALID_CONFIG", `workers must be an integer from 1 to ${MAX_WORKERS}, not ${workers}.`);
}
