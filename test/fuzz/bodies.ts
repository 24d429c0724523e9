import type { Chance } from './chance.ts'
import type { Facts } from './facts.ts'
import { oddValue, tower } from './oddJson.ts'
import { requestText } from './requests.ts'

/** Requests in a batch beyond which the node refuses it, by default. */
const BATCH_LIMIT = 50

const JUNK = [
  ...[
    '',
    ' ',
    '{',
    '}',
    '[',
    ']',
    '[]',
    '{}',
    '[[]]',
    '[[[]],[]]',
    '[{}]',
    '[1,2]',
    'null',
    'true',
    '0',
    '-',
  ],
  ...['"', '""', '"\\', '{"id":1', '[,]', '{,}', '[1,]', '{"a"}', '{"a":}', "{'id':1}", 'NaN', 'Infinity'],
  ...[
    '01',
    '1.',
    '.5',
    '+1',
    '0x1',
    '//',
    '/* */{}',
    '\ufeff{}',
    '\u0000',
    '{}{}',
    '[][]',
    '{"id":1}garbage',
  ],
  ...['GET / HTTP/1.1\r\n\r\n', '<methodCall/>', 'method=eth_call'],
] as const

/** Bytes of one body or frame. */
export function bodyBytes(chance: Chance, metadata: Facts): Buffer {
  const kind = chance.below(100)
  if (kind < 72) return Buffer.from(requestText(chance, metadata))
  if (kind < 84) return Buffer.from(batchText(chance, metadata))
  if (kind < 94) return damaged(chance, Buffer.from(requestText(chance, metadata)))
  if (kind < 96) return Buffer.from(chance.pick(JUNK))
  if (kind < 98) return Buffer.from(oddValue(chance))
  return chance.happens(0.2) ? Buffer.from(tower(chance)) : chance.bytes(chance.below(200))
}

function batchText(chance: Chance, metadata: Facts, depth = 2): string {
  const size = chance.happens(0.05) ? BATCH_LIMIT - 1 + chance.below(4) : chance.below(6)
  const elements = Array.from({ length: size }, () => {
    if (depth > 0 && chance.happens(0.05)) return batchText(chance, metadata, depth - 1)
    return chance.happens(0.1) ? oddValue(chance, 2) : requestText(chance, metadata)
  })
  return `[${elements.join(',')}]`
}

function damaged(chance: Chance, bytes: Buffer): Buffer {
  const at = chance.below(bytes.length + 1)
  switch (chance.below(5)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      return bytes.subarray(at)
    case 2:
      return Buffer.concat([bytes.subarray(0, at), chance.bytes(1 + chance.below(4)), bytes.subarray(at)])
    case 3: {
      const changed = Buffer.from(bytes)
      if (at < changed.length) changed[at] = chance.below(256)
      return changed
    }
    default:
      return Buffer.concat([bytes, bytes.subarray(at)])
  }
}
