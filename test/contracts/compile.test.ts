import t from 'tap'
import { readArtefact } from './artefact.ts'
import { compileContracts } from './compile.ts'

t.test('the committed artefacts are what the pinned compiler makes of the sources', (t) => {
  const compiled = compileContracts()
  t.same(compiled.map(({ contract }) => contract).sort(), [
    'Archive',
    'Compute',
    'Failures',
    'Loans',
    'Noisy',
    'Oracle',
    'Spread',
    'Stable',
    'Token',
  ])
  for (const artefact of compiled) {
    t.same(artefact, readArtefact(artefact.contract as 'Token'), artefact.contract)
  }
  t.end()
})
