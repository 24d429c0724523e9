import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createPageArtifacts } from '../../../src/abi/pageArtifacts.ts'
import { testFolder } from '../../support/testFolder.ts'

const ABI = [{ type: 'function', name: 'f', inputs: [], outputs: [] }]

t.test('the page gets ABI and deployed code of each artifact, contracts with code first', async (t) => {
  const folder = testFolder(t)
  mkdirSync(join(folder, 'build-info'))
  const write = (name: string, content: unknown) => writeFileSync(join(folder, name), JSON.stringify(content))
  write('Hardhat.json', {
    contractName: 'Vault',
    abi: ABI,
    bytecode: '0x6001',
    deployedBytecode: '0x60',
    metadata: 'm',
  })
  write('Foundry.json', { abi: ABI, deployedBytecode: { object: '0x61', sourceMap: '1:2' } })
  write('Face.json', { contractName: 'Face', abi: ABI, deployedBytecode: '0x' })
  write('Empty.json', { contractName: 'Empty', abi: [], deployedBytecode: '0x60' })
  write('package.json', { name: 'no artifact' })
  writeFileSync(join(folder, 'half.json'), '{"abi":[')
  writeFileSync(join(folder, 'build-info', 'Other.json'), JSON.stringify({ contractName: 'Other', abi: ABI }))
  const artifacts = createPageArtifacts([folder, join(folder, 'missing')])
  const first = await artifacts()
  t.equal(first.left, 0)
  t.same(JSON.parse(first.text), [
    { contractName: 'Foundry', abi: ABI, deployedBytecode: '0x61' },
    { contractName: 'Vault', abi: ABI, deployedBytecode: '0x60' },
    { contractName: 'Face', abi: ABI },
  ])

  write('Hardhat.json', { contractName: 'Safe', abi: ABI, deployedBytecode: '0x62' })
  utimesSync(join(folder, 'Hardhat.json'), new Date(0), new Date(0))
  const names = JSON.parse((await artifacts()).text).map(
    ({ contractName }: { contractName: string }) => contractName,
  )
  t.same(names, ['Foundry', 'Safe', 'Face'], 'a build wrote it again')
})

t.test('what finds no space is left out and counted', async (t) => {
  const folder = testFolder(t)
  const large = { abi: [{ ...ABI[0], name: 'f'.repeat(3 * 1024 * 1024) }] }
  for (const name of ['A', 'B']) writeFileSync(join(folder, `${name}.json`), JSON.stringify(large))
  writeFileSync(join(folder, 'C.json'), JSON.stringify({ abi: ABI }))
  const { text, left } = await createPageArtifacts([folder])()
  t.same(
    JSON.parse(text).map(({ contractName }: { contractName: string }) => contractName),
    ['A', 'C'],
  )
  t.equal(left, 1)
})
