import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { type Abi, encodeDeployData, encodeErrorResult, encodeFunctionData, type Hex } from 'viem'
import { readArtifact } from '../../../src/abi/artifact.ts'
import { beginsWith, readCode, readRuntimeCode, withoutMetadata } from '../../../src/abi/codePattern.ts'
import { entryText, readInterface, selectorIn } from '../../../src/abi/contractInterface.ts'
import { ContractProject } from '../../../src/abi/contractProject.ts'
import { revertText } from '../../../src/abi/failureText.ts'
import { artifactFolders } from '../../../src/abi/projectFolders.ts'
import { fromHex } from '../../../src/util/bytes.ts'
import { readArtefact } from '../../contracts/artefact.ts'
import { COW_ADDRESS } from '../../support/accounts.ts'
import { testFolder } from '../../support/testFolder.ts'

const NOISY = readArtefact('Noisy')
const TOKEN = readArtefact('Token')

/** The three forms of the same contract. */
const FORMS = {
  hardhat: (name: string, { abi, bytecode, deployedBytecode } = NOISY) => ({
    _format: 'hh-sol-artifact-1',
    contractName: name,
    abi,
    bytecode,
    deployedBytecode,
  }),
  foundry: (_name: string, { abi, bytecode, deployedBytecode } = NOISY) => ({
    abi,
    bytecode: { object: bytecode, linkReferences: {} },
    deployedBytecode: { object: deployedBytecode, immutableReferences: {} },
  }),
  truffle: (name: string, { abi, bytecode, deployedBytecode } = NOISY) => ({
    contractName: name,
    abi,
    bytecode,
    deployedBytecode,
    networks: {},
  }),
}

function write(path: string, content: object): void {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, JSON.stringify(content))
}

t.test('artifacts of the three tools say the same', (t) => {
  for (const [tool, form] of Object.entries(FORMS)) {
    const artifact = readArtifact(JSON.stringify(form('Noisy')), '/project/Noisy.sol/Noisy.json')
    t.equal(artifact?.name, 'Noisy', tool)
    t.same(artifact?.creation?.code, fromHex(NOISY.bytecode), tool)
    t.equal(artifact?.contract.functions.size, 3, tool)
    t.equal(artifact?.contract.hasReceive, true, tool)
  }
  t.equal(readArtifact('{"abi": {}}', 'x.json'), null)
  t.equal(readArtifact('{"abi": [', 'x.json'), null)
  t.equal(readArtifact('null', 'x.json'), null)
  const shared = readArtifact('{"abi": [], "bytecode": {"object": "0x"}}', 'out/IToken.json')
  t.equal(shared?.name, 'IToken')
  t.equal(shared?.creation, null)
  t.end()
})

t.test('code is recognised whatever a deployment filled in', (t) => {
  const runtime = readRuntimeCode(NOISY.deployedBytecode)
  if (runtime === null) throw new Error('no code')
  t.equal(runtime.gaps.length, 1, 'the immutable')
  const deployed = fromHex(NOISY.deployedBytecode)
  const [[start, end] = [0, 0]] = runtime.gaps
  deployed.fill(0xab, start, end)
  t.ok(beginsWith(deployed, runtime))
  deployed[start - 1] = 0
  t.notOk(beginsWith(deployed, runtime))
  const linked = readCode(`0x6001${`__$${'a'.repeat(34)}$__`}6002`)
  if (linked === null) throw new Error('no code')
  t.same(linked.gaps, [[2, 22]])
  t.ok(beginsWith(fromHex(`0x6001${'77'.repeat(20)}6002ff`), linked))
  t.notOk(beginsWith(fromHex(`0x6001${'77'.repeat(20)}6003ff`), linked))
  t.equal(readCode('0x'), null)
  t.equal(readCode('0x6'), null)
  t.end()
})

t.test('metadata behind the code do not count', (t) => {
  const metadata = (byte: string) => `a264697066735822${byte.repeat(34)}64736f6c634300081e0033`
  const code = '60016002'
  t.equal(withoutMetadata(fromHex(`0x${code}${metadata('11')}`)), 4)
  const runtime = readRuntimeCode(`0x${code}${metadata('11')}`)
  if (runtime === null) throw new Error('no code')
  t.ok(beginsWith(fromHex(`0x${code}${metadata('22')}`), runtime))
  t.equal(withoutMetadata(fromHex(`0x${code}`)), 4)
  t.equal(withoutMetadata(Buffer.alloc(0)), 0)
  t.end()
})

t.test('projects are known by their configuration files', (t) => {
  const folder = testFolder(t)
  t.same(artifactFolders(folder, false), [])
  t.equal(artifactFolders(folder, true).length, 3, 'a folder that is named needs none')
  writeFileSync(join(folder, 'hardhat.config.ts'), '')
  t.same(artifactFolders(folder, false), [join(folder, 'artifacts')])
  writeFileSync(join(folder, 'foundry.toml'), '[profile.default]\n  out = "build/forge" # here\n')
  t.same(artifactFolders(folder, false), [join(folder, 'artifacts'), join(folder, 'build/forge')])
  writeFileSync(join(folder, 'foundry.toml'), '[profile.default]\nsrc = "src"\n')
  writeFileSync(join(folder, 'truffle-config.js'), '')
  t.same(artifactFolders(folder, true), [
    join(folder, 'artifacts'),
    join(folder, 'out'),
    join(folder, 'build/contracts'),
  ])
  t.end()
})

t.test('contracts are found by code, by creation and by selectors', async (t) => {
  const folder = testFolder(t)
  write(join(folder, 'contracts/Noisy.sol/Noisy.json'), FORMS.hardhat('Noisy'))
  write(join(folder, 'contracts/Noisy.sol/Noisy.dbg.json'), { buildInfo: 'x' })
  write(join(folder, 'build-info/1.json'), FORMS.hardhat('Other', TOKEN))
  const project = new ContractProject([folder, join(folder, 'absent')])
  await project.refresh()
  t.equal(project.size, 1)
  t.equal(project.ofCode(fromHex(NOISY.deployedBytecode))?.name, 'Noisy')
  t.equal(project.ofCode(fromHex(TOKEN.deployedBytecode)), null)
  const creation = encodeDeployData({ abi: NOISY.abi as Abi, bytecode: NOISY.bytecode, args: [5n, 'Ann'] })
  t.equal(project.ofCreation(fromHex(creation))?.name, 'Noisy')
  const data = fromHex(encodeFunctionData({ abi: NOISY.abi as Abi, functionName: 'add', args: [7n] }))
  const entry = project.function(selectorIn(data) ?? '')
  if (entry === null) throw new Error('no function')
  t.equal(entryText(entry, data), 'add(7)')
  t.equal(entryText(entry, data.subarray(0, 20)), 'add(…)')
})

t.test('a rebuilt project is read again, and what is gone is forgotten', async (t) => {
  const folder = testFolder(t)
  const path = join(folder, 'Some.sol/Some.json')
  const project = new ContractProject([folder])
  await project.refresh()
  t.equal(project.size, 0)
  const again = async () => {
    // Nothing is looked at twice within a moment.
    await sleep(150)
    await project.refresh(true)
  }
  write(path, FORMS.foundry('Some', TOKEN))
  await again()
  t.equal(project.ofCode(fromHex(TOKEN.deployedBytecode))?.name, 'Some')
  write(path, FORMS.foundry('Some', NOISY))
  utimesSync(path, 1, 1)
  await again()
  t.equal(project.ofCode(fromHex(TOKEN.deployedBytecode)), null)
  t.equal(project.ofCode(fromHex(NOISY.deployedBytecode))?.name, 'Some')
  rmSync(path)
  await again()
  t.equal(project.size, 0)
})

t.test('failures are told in words', (t) => {
  const noisy = readInterface(NOISY.abi)
  const find = (selector: string) => noisy.errors.get(selector) ?? null
  const failures = readArtefact('Failures').abi as Abi
  const standard = [
    { type: 'error', name: 'Error', inputs: [{ type: 'string' }] },
    { type: 'error', name: 'Panic', inputs: [{ type: 'uint256' }] },
  ] as const
  const error = (abi: Abi, errorName: string, args: readonly unknown[]) =>
    fromHex(encodeErrorResult({ abi, errorName, args } as never) as Hex)
  const told = (data: Buffer) => revertText(data, find)
  t.equal(told(error(standard, 'Error', ['not today'])), "reverted with reason string 'not today'")
  t.equal(told(error(standard, 'Panic', [1n])), 'reverted with panic code 0x1 (Assertion error)')
  t.equal(
    told(error(standard, 'Panic', [0x11n])),
    'reverted with panic code 0x11 (Arithmetic operation overflowed outside of an unchecked block)',
  )
  t.equal(told(error(standard, 'Panic', [0x99n])), 'reverted with unknown panic code 0x99')
  t.equal(
    told(error(NOISY.abi as Abi, 'TooMuch', [700n, { most: 100n, holders: [COW_ADDRESS] }])),
    `reverted with custom error 'TooMuch(700, (most: 100, holders: [${COW_ADDRESS}]))'`,
  )
  const unknown = error(failures, 'Bare', [])
  t.equal(
    told(unknown),
    `reverted with an unrecognized custom error (return data: 0x${unknown.toString('hex')})`,
  )
  t.equal(told(Buffer.alloc(0)), 'reverted without a reason')
  t.equal(told(fromHex('0x08c379a0')), 'reverted with an unrecognized custom error (return data: 0x08c379a0)')
  t.end()
})
