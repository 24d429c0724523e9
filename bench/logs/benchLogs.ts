import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogsBloom } from '../../src/chain/codec/logsBloom.ts'
import { encodeReceipt, type Log } from '../../src/chain/codec/receipt.ts'
import { encodeList } from '../../src/chain/codec/rlpWriter.ts'
import { logTermsOf } from '../../src/chain/logs/logTerms.ts'
import { findLogHeights, LogIndexChanges } from '../../src/chain/tables/logIndex.ts'
import { addressTerm, type LogTerm, topicTerm } from '../../src/chain/tables/logTerm.ts'
import { SubscriptionHub } from '../../src/filters/subscriptionHub.ts'
import { EncodedObjectCache } from '../../src/native/encodedObjectCache.ts'
import { LogSubscriptions } from '../../src/native/logSubscriptions.ts'
import { EVENT_TEXTS } from '../../src/rpc/format/eventTexts.ts'
import { ChainEnvironment } from '../../src/storage/chainEnvironment.ts'

const LOGS_PER_BLOCK = 50
const SUBSCRIBERS = 10_000
/** A body of one transaction. */
const BODY = encodeList([encodeList([encodeList([])]), encodeList([])])

/** Word of 32 bytes with a number. */
function word(value: number): Buffer {
  const bytes = Buffer.alloc(32)
  bytes.writeUInt32BE(value, 28)
  return bytes
}

/** Transfers of a few tokens between many accounts: two terms occur in every block, most are rare. */
function transfers(block: number): Log[] {
  return Array.from({ length: LOGS_PER_BLOCK }, (_, index) => {
    const seed = Math.imul(block * LOGS_PER_BLOCK + index, 0x9e3779b1) >>> 0
    return {
      address: word(seed % 40).subarray(12),
      topics: [word(0xddf252ad), word(seed % 200_003), word((seed >>> 3) % 200_009)],
      data: word(seed),
    }
  })
}

function receiptsOf(logs: readonly Log[]): Buffer {
  const receipt = {
    success: true,
    cumulativeGasUsed: 1n,
    gasUsed: 1n,
    logsBloom: createLogsBloom(logs),
    logs,
  }
  return encodeList([encodeReceipt(receipt)])
}

function time(name: string, unit: string, count: number, action: () => void): void {
  const start = performance.now()
  action()
  const milliseconds = performance.now() - start
  console.log(
    `${name}: ${milliseconds.toFixed(1)} ms, ${((milliseconds * 1000) / count).toFixed(2)} µs per ${unit}`,
  )
}

/** `npm run bench -- logs [BLOCKS]`: the log index, reading of logs and the fan-out to subscribers. */
export function benchLogs([blocks = '20000']: string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-bench-logs-'))
  const environment = new ChainEnvironment(join(folder, 'store'))
  try {
    benchIndex(environment, Number(blocks))
    console.log(`store: ${(statSync(join(folder, 'store', 'data.mdb')).size / 2 ** 20).toFixed(1)} MiB`)
    benchReading()
    benchFanOut(false)
    benchFanOut(true)
  } finally {
    void environment.close().then(() => rmSync(folder, { recursive: true }))
  }
}

function benchIndex(environment: ChainEnvironment, blocks: number): void {
  const sample = Array.from({ length: 512 }, (_, block) => receiptsOf(transfers(block)))
  time('terms of stored receipts', 'block', sample.length, () => {
    for (const receipts of sample) logTermsOf(receipts)
  })
  const termsOf = (block: number): readonly LogTerm[] => logTermsOf(receiptsOf(transfers(block)))
  const commit = 64
  let spent = 0
  for (let block = 0; block < blocks; block += commit) {
    const batch = Array.from({ length: commit }, (_, index) => termsOf(block + index))
    const start = performance.now()
    const changes = new LogIndexChanges()
    batch.forEach((terms, index) => {
      changes.add(block + index, terms)
    })
    environment.transaction((writer) => changes.write(writer))
    spent += performance.now() - start
  }
  console.log(`writing, ${commit} blocks per commit: ${((spent * 1000) / blocks).toFixed(1)} µs per block`)
  const rare = topicTerm(1, word(Math.imul(777, 0x9e3779b1) >>> 0))
  const tests: [string, LogTerm[][]][] = [
    ['one rare topic', [[topicTerm(1, word(4711))]]],
    ['a topic of no log', [[rare]]],
    ['an address and a rare topic', [[addressTerm(word(7).subarray(12))], [topicTerm(1, word(4711))]]],
    ['a topic of every block', [[topicTerm(0, word(0xddf252ad))]]],
    ['1,000 rare topics', [Array.from({ length: 1000 }, (_, index) => topicTerm(1, word(index)))]],
  ]
  for (const [name, conditions] of tests) {
    let found = 0
    time(`search of ${blocks} blocks, ${name}`, 'search', 1, () => {
      for (const heights of findLogHeights(environment, conditions, 0, blocks)) found += heights.length
    })
    console.log(`  ${found} blocks`)
  }
}

function benchReading(): void {
  const blocks = Array.from({ length: 2000 }, (_, block) => ({
    number: block,
    hash: word(block),
    receipts: receiptsOf(transfers(block)),
  }))
  const logs = blocks.length * LOGS_PER_BLOCK
  for (let round = 0; round < 2; round += 1) {
    time('walking and testing', 'log', logs, () => {
      const subscriptions = new LogSubscriptions(EncodedObjectCache.inMemory(1))
      subscriptions.add(1, { addresses: [word(999).subarray(12)], topics: [] })
      for (const block of blocks) {
        for (const _ of subscriptions.find(block, false, () => ({ ...block, body: BODY }))) {
          throw new Error('unexpected')
        }
      }
    })
    const objects = EncodedObjectCache.inMemory(256 * 2 ** 20)
    time('walking and writing as JSON', 'log', logs, () => {
      for (const block of blocks) objects.writeLogs(block, { ...block, body: BODY })
    })
    console.log(`  ${(objects.bytes / 2 ** 20).toFixed(0)} MiB`)
  }
}

/** @param kept whether the logs of the block are kept as text */
function benchFanOut(kept: boolean): void {
  const receipts = receiptsOf(transfers(1))
  const block = { number: 1, hash: word(1) }
  const texts = EncodedObjectCache.inMemory(16 * 2 ** 20)
  if (kept) texts.writeLogs(block, { receipts, body: BODY })
  const chain = {
    headerByHash: () => null,
    storedHeader: () => null,
    hashByNumber: () => null,
    storedReceipts: () => receipts,
    storedBody: () => BODY,
  }
  const hub = new SubscriptionHub({
    chain,
    encodedObjects: texts,
    events: EVENT_TEXTS,
    mostPerConnection: 10,
  })
  let sent = 0
  const connect = () => ({
    notify: () => {
      sent += 1
    },
  })
  for (let index = 0; index < SUBSCRIBERS; index += 1) {
    const topics = [[word(0xddf252ad)], [], [word(index)]]
    hub.subscribe(connect(), {
      kind: 'logs',
      criteria: { addresses: [word(index % 1000).subarray(12)], topics },
    })
  }
  const rounds = 20
  time(
    `fan-out of ${LOGS_PER_BLOCK} ${kept ? 'kept' : 'stored'} logs, ${SUBSCRIBERS} subscribers of an address and a topic`,
    'block',
    rounds,
    () => {
      for (let round = 0; round < rounds; round += 1) hub.headChanged({ retracted: [], enacted: [block] })
    },
  )
  for (let index = 0; index < 1000; index += 1) {
    hub.subscribe(connect(), { kind: 'logs', criteria: { addresses: [], topics: [[word(0xddf252ad)]] } })
  }
  sent = 0
  time(`the same, and 1,000 subscribers of every log`, 'block', rounds, () => {
    for (let round = 0; round < rounds; round += 1) hub.headChanged({ retracted: [], enacted: [block] })
  })
  console.log(`  ${sent / rounds} notifications per block`)
}
