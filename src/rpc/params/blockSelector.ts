import { invalidParams, type RpcError } from '../errors.ts'
import { parseHash } from './hex.ts'
import { parseNumber } from './number.ts'
import {
  type BlockName,
  isGiven,
  isJsonObject,
  type JsonSchema,
  namingBlocks,
  type Param,
  scalarText,
} from './param.ts'

/** Tags that name a block by its position in the chain. `safe` and `finalized`: decisions.md D34. */
export type BlockTag = 'latest' | 'earliest' | 'pending' | 'safe' | 'finalized'

/** The block that a request names. `text` is the request's own wording, for errors. */
export type BlockSelector =
  | { readonly kind: 'tag'; readonly tag: BlockTag }
  | { readonly kind: 'number'; readonly number: bigint; readonly text: string }
  | {
      readonly kind: 'hash'
      readonly hash: Buffer
      readonly text: string
      readonly requireCanonical: boolean
      /** True when it stood in a map `{blockHash}`; errors are worded differently. */
      readonly inMap: boolean
    }

/** The newest block. */
export const LATEST: BlockSelector = { kind: 'tag', tag: 'latest' }

/** The block that a selector names by number or hash; none for a tag. */
export function namesOf(selector: BlockSelector): readonly BlockName[] {
  if (selector.kind === 'tag') return []
  return [selector.kind === 'hash' ? selector.hash : Number(selector.number)]
}

/** Every tag. */
export const BLOCK_TAGS: ReadonlySet<string> = new Set<BlockTag>([
  'latest',
  'earliest',
  'pending',
  'safe',
  'finalized',
])
const HEX = /^0x[0-9a-fA-F]+$/
const DECIMAL = /^[0-9]+$/
const HASH_CHARACTERS = 66

const SCHEMA: JsonSchema = {
  oneOf: [
    { type: 'string', enum: [...BLOCK_TAGS] },
    { type: 'string', pattern: '^0x[0-9a-fA-F]{1,64}$' },
    {
      type: 'object',
      properties: {
        blockHash: { type: 'string' },
        blockNumber: { type: 'string' },
        requireCanonical: { type: 'boolean' },
      },
    },
  ],
}

/** Forms of a block reference that only some methods accept. */
export interface BlockSelectorOptions {
  readonly name?: string
  /** Decimal text is a number (eth_call, eth_estimateGas) or `invalid blocknumber` (the others). */
  readonly decimal?: boolean
  /** True when `pending` is accepted; false for methods that have no answer for that block. */
  readonly pending?: boolean
}

/** Block of a state read: tag, number, hash, or EIP-1898 map (rpc.md §2, block ref). */
export function blockRef(options: BlockSelectorOptions = {}): Param<BlockSelector> {
  const param: Param<BlockSelector> = {
    name: options.name ?? 'block',
    schema: SCHEMA,
    optional: false,
    parse: (value, method) => {
      if (isJsonObject(value)) return parseBlockMap(value)
      if (typeof value !== 'string') throw invalidParams('Invalid input')
      if (!isBlockTag(value) && !DECIMAL.test(value) && !HEX.test(value)) throw invalidIdentifier(value)
      return fromText(value, method, options)
    },
  }
  return namingBlocks(param, namesOf)
}

/** Block of a method `…ByNumber`: tag, number, or a hash in place of a number (rpc.md §2, block id). */
export function blockId(options: BlockSelectorOptions = {}): Param<BlockSelector> {
  const param: Param<BlockSelector> = {
    name: options.name ?? 'block',
    schema: SCHEMA,
    optional: false,
    parse: (value, method) => fromText(parseIdentifier(scalarText(value)), method, options),
  }
  return namingBlocks(param, namesOf)
}

/** Block of eth_estimateGas: a block id or an EIP-1898 map. */
export function estimateBlock(): Param<BlockSelector> {
  const param: Param<BlockSelector> = {
    name: 'block',
    schema: SCHEMA,
    optional: false,
    parse: (value, method) => {
      if (isJsonObject(value)) return parseBlockMap(value)
      const text = parseIdentifier(scalarText(value))
      if (!isBlockTag(text) && !DECIMAL.test(text) && !HEX.test(text)) {
        throw invalidParams(
          `Unsupported block specifier '${text}'. Can only be either 'earliest', 'latest', 'pending' or a specific block number (either hex - prepending '0x' or decimal).`,
        )
      }
      return fromText(text, method, { decimal: true })
    },
  }
  return namingBlocks(param, namesOf)
}

/**
 * The first check of a block id.
 * @throws RpcError when it is no tag of any case, no decimal and no 0x number
 */
export function parseIdentifier(text: string): string {
  if (text === '') throw invalidParams('Invalid block identifier: empty or null.')
  if (!isBlockTag(text.toLowerCase()) && !DECIMAL.test(text) && !HEX.test(text)) throw invalidIdentifier(text)
  // Checked before it is converted: conversion takes quadratic time in its length.
  if (text.length > HASH_CHARACTERS) throw invalidParams(`invalid block identifier ${text}`)
  return text
}

/** @throws RpcError when the method does not accept the form of the text */
function fromText(text: string, method: string, options: BlockSelectorOptions): BlockSelector {
  if (isBlockTag(text)) {
    if (text === 'pending' && options.pending === false) {
      throw pendingUnsupported(method)
    }
    return { kind: 'tag', tag: text }
  }
  if (text.length > HASH_CHARACTERS) throw invalidParams(`invalid block identifier ${text}`)
  if (HEX.test(text)) {
    if (text.length < HASH_CHARACTERS) return { kind: 'number', number: BigInt(text), text }
    return {
      kind: 'hash',
      hash: parseHash(text, 'block hash'),
      text,
      requireCanonical: false,
      inMap: false,
    }
  }
  if (options.decimal === true && DECIMAL.test(text)) return { kind: 'number', number: BigInt(text), text }
  throw invalidParams(`invalid blocknumber ${text}`)
}

/** EIP-1898; `requireCanonical` as boolean or text (decisions.md D27). */
function parseBlockMap(map: Record<string, unknown>): BlockSelector {
  const { blockHash, blockNumber, requireCanonical } = map
  if (!isGiven(blockHash) && !isGiven(blockNumber)) throw invalidParams('Invalid block input')
  const canonical = isGiven(requireCanonical) && parseCanonical(requireCanonical)
  const hash = isGiven(blockHash) ? parseHash(scalarText(blockHash), 'block hash') : undefined
  const number = isGiven(blockNumber) ? parseNumber(scalarText(blockNumber)) : undefined
  if (hash !== undefined) {
    return { kind: 'hash', hash, text: scalarText(blockHash), requireCanonical: canonical, inMap: true }
  }
  const text = scalarText(blockNumber)
  if (number === undefined || number < 0n) throw invalidParams(`invalid blocknumber ${text}`)
  return { kind: 'number', number, text }
}

function parseCanonical(value: unknown): boolean {
  const text = scalarText(value).toLowerCase()
  if (text !== 'true' && text !== 'false') {
    throw invalidParams('Invalid input: requireCanonical must be a String "true" or "false"')
  }
  return text === 'true'
}

/** The refusal of the pending block by a method. */
export function pendingUnsupported(method: string): RpcError {
  return invalidParams(`The method ${method} doesn't support 'pending' as a parameter`)
}

/** True when the text is a tag as it is written. */
export function isBlockTag(text: string): text is BlockTag {
  return BLOCK_TAGS.has(text)
}

function invalidIdentifier(text: string) {
  return invalidParams(`Invalid block identifier '${text}'`)
}
