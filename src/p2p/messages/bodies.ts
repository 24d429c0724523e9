import { itemAt, type RlpItem } from '../../chain/codec/rlpReader.ts'
import {
  encodeBytes,
  encodeList,
  encodeStrings,
  encodeUnsigned,
  RLP_EMPTY,
  RLP_EMPTY_LIST,
} from '../../chain/codec/rlpWriter.ts'
import { bigIntToSignedBytes } from '../../util/bytes.ts'
import { eitherList, hashOf, idOf, MAX_FIELDS, numberOf, readList, signedDifficultyOf } from './fields.ts'
import type { BlockIdentifier, PeerMessage } from './rskMessage.ts'

/** Message of a type. */
export type MessageOf<T extends PeerMessage['type']> = Extract<PeerMessage, { type: T }>

/** Codec of the body of a message type. */
export interface BodyForm<M extends PeerMessage> {
  /** Its number in RSK_MESSAGE (p2p.md §4). */
  readonly number: number
  /** RLP list. */
  encode(message: M): Buffer
  /** @throws P2pError or RlpError */
  decode(body: Buffer): M
}

/** Identifiers of blocks, or headers, or blocks, in one message. */
export const MAX_BLOCKS = 4096

/** A body whose elements are those of a list. @param limit elements at most */
export function plainBody<T extends PeerMessage['type']>(
  number: number,
  type: T,
  encode: (message: MessageOf<T>) => readonly Uint8Array[],
  decode: (items: readonly RlpItem[]) => Omit<MessageOf<T>, 'type'>,
  limit: number = MAX_FIELDS,
): BodyForm<MessageOf<T>> {
  return {
    number,
    encode: (message) => encodeList(encode(message)),
    decode: (body) => ({ type, ...decode(readList(body, limit)) }) as MessageOf<T>,
  }
}

/** A body `[id, params]`, where params is a list, or a string with one (p2p.md §4). */
export function answeredBody<T extends PeerMessage['type']>(
  number: number,
  type: T,
  encode: (message: MessageOf<T>) => readonly Uint8Array[],
  decode: (params: readonly RlpItem[]) => Omit<MessageOf<T>, 'type' | 'id'>,
): BodyForm<MessageOf<T>> {
  return {
    number,
    encode: (message) => {
      const { id } = message as unknown as { readonly id: bigint }
      return encodeList([encodeUnsigned(id), encodeList(encode(message))])
    },
    decode: (body) => {
      const items = readList(body, MAX_FIELDS)
      const id = idOf(itemAt(items, 0))
      return { type, id, ...decode(eitherList(itemAt(items, 1), MAX_FIELDS)) } as unknown as MessageOf<T>
    },
  }
}

/** Elements that are strings, put together as they are. */
export function strings(values: readonly (Uint8Array | bigint | number)[]): Buffer[] {
  return values.map((value) => (typeof value === 'object' ? encodeBytes(value) : encodeUnsigned(value)))
}

/** `[[hash, number], …]`. */
export function encodeIdentifiers(blocks: readonly BlockIdentifier[]): Buffer[] {
  return blocks.map(({ hash, number }) => encodeStrings([hash, number]))
}

/** A block as `[hash, number]`. */
export function identifierOf(item: RlpItem): BlockIdentifier {
  const fields = item.itemsUpTo(MAX_FIELDS)
  return { hash: hashOf(itemAt(fields, 0)), number: numberOf(itemAt(fields, 1)) }
}

/** List of strings. */
export function stringList(values: readonly Uint8Array[]): Buffer {
  return values.length === 0 ? RLP_EMPTY_LIST : encodeList(values.map(encodeBytes))
}

/** A total difficulty as Java writes it (p2p.md §4): zero is one zero byte. */
export function encodeSignedDifficulty(value: bigint): Buffer {
  return encodeBytes(bigIntToSignedBytes(value))
}

/** `[td, …]`. */
export function encodeDifficulties(values: readonly bigint[]): Buffer {
  return encodeList(values.map(encodeSignedDifficulty))
}

/** Total difficulties of a list. */
export function difficultiesOf(item: RlpItem): bigint[] {
  return item.itemsUpTo(MAX_BLOCKS).map(signedDifficultyOf)
}

/** A flag: one byte, none for false. */
export function encodeFlag(value: boolean): Buffer {
  return value ? encodeUnsigned(1) : RLP_EMPTY
}
