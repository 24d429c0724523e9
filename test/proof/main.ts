import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  fetchProofs,
  PROOF_VECTORS_FILE,
  proofCases,
  readRecordedState,
  serveRecordedChain,
} from './cases.ts'

// Writes the committed vectors anew: only for a deliberate change of the form of eth_getProof.
const state = readRecordedState()
const folder = mkdtempSync(join(tmpdir(), 'rhizome-proofs-'))
const node = await serveRecordedChain(folder)
const block = `0x${state.number.toString(16)}`
const answers = await fetchProofs(node, proofCases(state), block)
await node.stop()
rmSync(folder, { recursive: true })
mkdirSync(dirname(PROOF_VECTORS_FILE), { recursive: true })
writeFileSync(
  PROOF_VECTORS_FILE,
  `${JSON.stringify({ block, stateRoot: state.stateRoot, answers }, null, 2)}\n`,
)
console.log(`${answers.length} accounts`)
