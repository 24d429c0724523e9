import { register } from '../bitcoinRelay.ts'
import { RehearsalError } from '../errors.ts'
import { keyPairOfSeed } from '../keyPair.ts'
import { awaitRelease, describeRelease, publish, sign, updateCollections } from '../releases.ts'
import { formatBitcoin, type StepReport } from '../report.ts'
import { type AbiValue, numberAt } from '../rootstock/abi.ts'
import type { Scene } from '../scene.ts'

/** Three of the five accounts that vote on federations on regtest: a majority (bridge.md §6.3). */
const AUTHORISERS = ['auth-a', 'auth-b', 'auth-c'].map(keyPairOfSeed)
/** Age of a federation in blocks from its creation (bridge.md §6.2). */
const ACTIVATION_AGE = 150
const MIGRATION_BEGIN = 15
const MIGRATION_END = 150
const VOTE_TAKEN = 1n
const ONE_RBTC = 1_000_000_000_000_000_000n

/** Authorisers vote for new members. */
export async function elect(scene: Scene): Promise<StepReport> {
  const { bridge, successors, accounts } = scene
  // Transactions of members other than those of genesis cost gas.
  for (const { rsk } of successors) await bridge.node.send(accounts[0], { to: rsk.address, value: ONE_RBTC })
  await vote(scene, 'createFederation()')
  for (const { btc, rsk, mst } of successors) {
    await vote(scene, 'addFederatorPublicKeyMultikey(bytes,bytes,bytes)', [
      btc.publicKey,
      rsk.publicKey,
      mst.publicKey,
    ])
  }
  const hash = await bridge.readBytes('getPendingFederationHash()')
  await vote(scene, 'commitFederation(bytes)', [hash])
  scene.proposedAt = await bridge.readNumber('getProposedFederationCreationBlockNumber()')
  return {
    title: 'A federation is elected',
    text: 'Three of five authorisers voted: for a new federation, for each of its members, and to propose it.',
    metadata: [
      ['federation', await bridge.readText('getFederationAddress()')],
      ['proposed federation', await bridge.readText('getProposedFederationAddress()')],
      ['its members', successors.map(({ name }) => name).join(', ')],
    ],
  }
}

/** The proposed federation proves that it can sign before any funds depend on it. */
export async function validate(scene: Scene): Promise<StepReport> {
  const { bridge } = scene
  const funding = await updateCollections(scene)
  funding.event('pegoutCreated')
  const funded = await sign(scene, await awaitRelease(scene), scene.members)
  await publish(scene, funded.transaction)

  await updateCollections(scene)
  const [validation] = await bridge.waitingValidation()
  if (validation === undefined) throw new RehearsalError('REFUSED', 'the Bridge made no validation to sign')
  const signed = await sign(scene, validation, scene.successors)
  const metadata = describeRelease(scene, signed)
  scene.chain.broadcast(signed.transaction)
  const { receipt } = await register(scene, signed.transaction)
  if ((await bridge.readText('getProposedFederationAddress()')) !== '') {
    throw new RehearsalError('REFUSED', 'the proposed federation was not accepted')
  }
  return {
    title: 'The proposed federation is validated',
    text:
      'The active federation paid a little to the proposed one; the proposed members signed a transaction that ' +
      'pays it back. With its registration they are accepted.',
    metadata: [
      ['funded by Bitcoin transaction', funded.transaction.getId()],
      ...metadata,
      ['accepted by', receipt.transactionHash],
    ],
  }
}

/** The new federation becomes active. */
export async function activate(scene: Scene): Promise<StepReport> {
  const { bridge } = scene
  const before = await bridge.readText('getFederationAddress()')
  await bridge.node.mineTo((scene.proposedAt ?? 0) + ACTIVATION_AGE)
  const address = await bridge.readText('getFederationAddress()')
  const retiring = await bridge.readText('getRetiringFederationAddress()')
  if (address === before || retiring !== before) {
    throw new RehearsalError('REFUSED', `the federation at ${before} has not been followed by another one`)
  }
  return {
    title: 'The new federation is active',
    text: `${ACTIVATION_AGE} blocks behind its proposal peg-ins go to it. The other one is retiring.`,
    metadata: [
      ['federation', address],
      ['retiring federation', retiring],
      ['block', `${await bridge.node.blockNumber()}`],
    ],
  }
}

/** The retiring members sign the migration of their funds. */
export async function migrate(scene: Scene): Promise<StepReport> {
  const { bridge } = scene
  const creation = await bridge.readNumber('getFederationCreationBlockNumber()')
  await bridge.node.mineTo(creation + ACTIVATION_AGE + MIGRATION_BEGIN + 1)
  const created = await updateCollections(scene)
  const amount = numberAt(created.event('pegoutCreated').data, 0)
  const signed = await sign(scene, await awaitRelease(scene), scene.members)
  const metadata = describeRelease(scene, signed)
  await publish(scene, signed.transaction)
  return {
    title: 'The funds move to the new federation',
    text:
      'The Bridge made a transaction of all that the retiring federation holds, and the retiring members signed it: ' +
      'from here on it is the new federation that pays.',
    metadata: [['created by', created.transactionHash], ['moved', formatBitcoin(amount)], ...metadata],
  }
}

/** The retiring federation is removed. */
export async function retire(scene: Scene): Promise<StepReport> {
  const { bridge } = scene
  const creation = await bridge.readNumber('getFederationCreationBlockNumber()')
  await bridge.node.mineTo(creation + ACTIVATION_AGE + MIGRATION_END)
  const updated = await updateCollections(scene)
  const retiring = await bridge.readText('getRetiringFederationAddress()')
  if (retiring !== '') throw new RehearsalError('REFUSED', `the federation at ${retiring} is still retiring`)
  scene.members = scene.successors
  return {
    title: 'The retiring federation is gone',
    text: 'Its time is over. From here on the new members do all the work.',
    metadata: [
      ['forgotten by', updated.transactionHash],
      ['federation', await bridge.readText('getFederationAddress()')],
    ],
  }
}

async function vote({ bridge }: Scene, signature: string, values: readonly AbiValue[] = []): Promise<void> {
  for (const authoriser of AUTHORISERS) {
    const { output } = await bridge.execute(authoriser, signature, values)
    const result = numberAt(output, 0)
    if (result !== VOTE_TAKEN) {
      throw new RehearsalError('REFUSED', `the Bridge refuses a vote on ${signature}: ${result}`)
    }
  }
}
