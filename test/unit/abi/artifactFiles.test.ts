import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ArtifactFiles } from '../../../src/abi/artifactFiles.ts'
import { testFolder } from '../../support/testFolder.ts'

t.test('a file that cannot be read is told once for each time that it was written', async (t) => {
  const folder = testFolder(t)
  const told: string[] = []
  const files = new ArtifactFiles(
    [folder],
    (text) => (text.startsWith('"') ? text : null),
    (path, fault) => told.push(`${path.slice(folder.length + 1)}: ${fault}`),
  )
  writeFileSync(join(folder, 'a.json'), '"good"')
  writeFileSync(join(folder, 'b.json'), '{"abi":[')
  writeFileSync(join(folder, 'c.json'), '{"name":"package"}')
  t.same(await files.look(), ['"good"'])
  t.same(told, [], 'a build may be writing it')
  await files.look()
  await files.look()
  t.same(told, ['b.json: it is no JSON'])

  writeFileSync(join(folder, 'b.json'), '{"abi":[{')
  await files.look()
  await files.look()
  t.same(told.length, 2, 'written again, and no better')

  writeFileSync(join(folder, 'b.json'), '"mended"')
  t.same(await files.look(), ['"good"', '"mended"'])
  truncateSync(join(folder, 'b.json'), 33 * 1024 * 1024)
  t.same(await files.look(), ['"good"'])
  await files.look()
  t.match(told.at(-1), 'b.json: it has more than 33554432 bytes')
  rmSync(join(folder, 'b.json'))
  await files.look()
  t.equal(told.length, 3)
})
