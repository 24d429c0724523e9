import { writeFileSync } from 'node:fs'
import { ARTEFACTS_FOLDER, compileContracts } from './compile.ts'

for (const artefact of compileContracts()) {
  writeFileSync(`${ARTEFACTS_FOLDER}${artefact.contract}.json`, `${JSON.stringify(artefact, null, 2)}\n`)
  console.log(`${artefact.contract}: ${(artefact.deployedBytecode.length - 2) / 2} bytes of code`)
}
