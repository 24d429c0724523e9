import { invalidParams } from '../errors.ts'
import type { Json } from '../json.ts'

/** JSON schema of a parameter, as it stands in the OpenRPC document. */
export type JsonSchema = { readonly [key: string]: Json }

/** One positional parameter: its name, its schema and its parser. */
export interface Param<T> {
  readonly name: string
  readonly schema: JsonSchema
  /** May be left out at the end of the parameters, or be null; `parse` then gets undefined. */
  readonly optional: boolean
  /** @throws RpcError kind `invalidParams` with the reference's text */
  readonly parse: (value: unknown, method: string) => T
  /** Blocks that a value names by number or hash; absent where none does. @throws RpcError as `parse` */
  readonly blocksOf?: (value: unknown, method: string) => readonly BlockName[]
}

/** A block by its number, or by its hash. */
export type BlockName = number | Buffer

/** The parameter with what says of its values which blocks they name. */
export function namingBlocks<T>(param: Param<T>, blocksOf: (value: T) => readonly BlockName[]): Param<T> {
  return { ...param, blocksOf: (value, method) => blocksOf(param.parse(value, method)) }
}

/** The tuple of values that a tuple of parameters parses to. */
export type ParamValues<P extends readonly Param<unknown>[]> = {
  readonly [K in keyof P]: P[K] extends Param<infer T> ? T : never
}

/** Makes a parameter optional: absent gives the fallback, and so does JSON null (decisions.md D25). */
export function optional<T, F>(param: Param<T>, fallback: F): Param<T | F> {
  return {
    ...param,
    optional: true,
    parse: (value, method) => (isGiven(value) ? param.parse(value, method) : fallback),
  }
}

/** True when an optional parameter, or an optional member of an object, is there: null means that it is not. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

/**
 * Reads positional parameters.
 * @throws RpcError `method parameters invalid` when there are too few or too many (rpc.md §1.3)
 */
export function parseParams<P extends readonly Param<unknown>[]>(
  params: P,
  required: number,
  values: readonly unknown[],
  method: string,
): ParamValues<P> {
  if (values.length < required || values.length > params.length) throw invalidParams()
  const parsed = new Array<unknown>(params.length)
  for (let i = 0; i < params.length; i++) {
    const param = params[i]
    const value = values[i]
    parsed[i] = param?.parse(param.optional && value === null ? undefined : value, method)
  }
  return parsed as ParamValues<P>
}

/** Text of a JSON scalar as the reference's reader sees it; `{` and `[` for a structure. */
export function scalarText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return '['
  return value === null || value === undefined ? 'null' : '{'
}

/** Text of a JSON scalar inside an object; empty for a structure. */
export function nodeText(value: unknown): string {
  return typeof value === 'object' && value !== null ? '' : scalarText(value)
}

/** True when the value is a JSON object. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
