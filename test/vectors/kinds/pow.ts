import { parseHeader } from '../../../src/chain/codec/headerDecoder.ts'
import { checkTimestamp } from '../../../src/chain/validation/headerRules.ts'
import { checkProofOfWork } from '../../../src/chain/validation/proofOfWork.ts'
import { networkByName } from '../../../src/config/networks/byName.ts'
import type { NetworkName } from '../../../src/config/networks/names.ts'
import { createNativeChainSpec } from '../../../src/native/chainSpec.ts'
import { sha256d } from '../../../src/native/crypto.ts'
import { miningTarget } from '../../../src/native/mergedMining.ts'
import { bigIntToBytes, bytesToBigInt, fromHex } from '../../../src/util/bytes.ts'
import { type CaseValues, type Comparison, tryOr } from '../comparison.ts'

type Line = { case: string; network: NetworkName; header: string } & Record<string, unknown>

/** pow.jsonl: proof of work, target and time link of headers. */
export async function comparePow(lines: AsyncIterable<unknown>, comparison: Comparison): Promise<void> {
  let number = 0
  for await (const line of lines) {
    const vector = line as Line
    number += 1
    comparison.case(`${vector.case} line ${number}`, (values) => compareHeader(vector, values))
  }
}

function compareHeader(vector: Line, values: CaseValues): void {
  const spec = networkByName(vector.network)
  const header = tryOr(() => parseHeader(spec, fromHex(vector.header)), null)
  values.equal('decodes', vector['decodes'], header !== null)
  if (header === null) return
  const context = {
    spec,
    nativeSpec: createNativeChainSpec(spec),
    disabledRules: new Set<never>(),
    now: () => header.timestamp,
  }
  const violation = checkProofOfWork(context, header)
  values.equal('number', vector['number'], BigInt(header.number))
  values.equal('difficulty', vector['difficulty'], header.difficulty)
  values.equal('hash', vector['hash'], header.hash)
  values.equalOrNull('hash for merged mining', vector['hashForMergedMining'], () =>
    header.hashForMergedMining(),
  )
  values.equal('target', vector['target'], bytesToBigInt(miningTarget(bigIntToBytes(header.difficulty))))
  values.equal('proof of work', vector['powValid'], violation === null)
  values.equal('timestamp rule', vector['timestampRuleValid'], checkTimestamp(context, header) === null)
  compareBitcoin(vector, header.fields.bitcoinMergedMiningHeader, header.timestamp, values)
}

function compareBitcoin(vector: Line, bitcoinHeader: Buffer, timestamp: number, values: CaseValues): void {
  if (bitcoinHeader.length < 80) return
  const hash = Buffer.from(sha256d(bitcoinHeader.subarray(0, 80))).reverse()
  values.equal('Bitcoin hash', vector['btcHash'], hash)
  values.equal('Bitcoin time', vector['btcTimeMinusRskTime'], bitcoinHeader.readUInt32LE(68) - timestamp)
}
