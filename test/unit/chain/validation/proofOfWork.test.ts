import t from 'tap'
import type { BlockHeader } from '../../../../src/chain/codec/header.ts'
import { parseHeader } from '../../../../src/chain/codec/headerDecoder.ts'
import { checkProofOfWork, checkProofsOfWork } from '../../../../src/chain/validation/proofOfWork.ts'
import { networkByName } from '../../../../src/config/networks/byName.ts'
import type { NetworkName } from '../../../../src/config/networks/names.ts'
import { createNativeChainSpec } from '../../../../src/native/chainSpec.ts'
import { fromHex } from '../../../../src/util/bytes.ts'
import { readVectorLines } from '../../../support/vectors.ts'

interface RecordedProof {
  readonly network: NetworkName
  readonly header: string
  readonly decodes: boolean
  readonly powValid: boolean
}

const recorded = readVectorLines<RecordedProof>('consensus/pow.jsonl').filter(({ decodes }) => decodes)

t.test('proofs of many headers at once are judged as the reference judges them', async (t) => {
  for (const name of new Set(recorded.map(({ network }) => network))) {
    const spec = networkByName(name)
    const context = { spec, nativeSpec: createNativeChainSpec(spec), disabledRules: new Set<never>() }
    const lines = recorded.filter(({ network }) => network === name)
    const headers: BlockHeader[] = lines.map(({ header }) => parseHeader(spec, fromHex(header)))
    const found = await checkProofsOfWork(context, headers)
    t.same(
      found.map((violation) => violation === null),
      lines.map(({ powValid }) => powValid),
      name,
    )
    t.same(
      found,
      headers.map((header) => checkProofOfWork(context, header)),
      'with the same reasons as one by one',
    )
  }
})
