import type { FromAttackers, ToAttackers } from '../long/attackMessages.ts'
import { readChains } from '../long/chains.ts'
import { AttackScene } from './attackScene.ts'
import { everyMessage, transactionFlood } from './floods.ts'
import { cheapFork, withheldBodies, wrongProofOfWork, wrongSkeletonHeaders, wrongStateRoot } from './liars.ts'
import { crowd, garbage, halfOpen, memoryBombs } from './sockets.ts'

const REPORT_MS = 250

/** What attackers do, each until the process ends. */
const ATTACKS: Readonly<Record<string, (scene: AttackScene) => void>> = {
  wrongProofOfWork,
  wrongStateRoot,
  withheldBodies,
  wrongSkeletonHeaders,
  cheapFork,
  crowd,
  halfOpen,
  garbage,
  everyMessage,
  transactionFlood,
  memoryBombs,
}

const scenes = new Map<string, AttackScene>()

process.on('message', (message: ToAttackers) => {
  if (message.type === 'begin') {
    const chains = readChains(message.chains)
    for (const name of message.attacks) {
      const scene = new AttackScene(message.victim, chains, Object.keys(ATTACKS).indexOf(name))
      scenes.set(name, scene)
      ATTACKS[name]?.(scene)
    }
    setInterval(report, REPORT_MS)
    return
  }
  for (const scene of scenes.values()) scene.length = message.length
})
// Nobody is left to stop it.
process.on('disconnect', () => process.exit())

function report(): void {
  const stats = Object.fromEntries([...scenes].map(([name, scene]) => [name, { ...scene.stats }]))
  process.send?.({ type: 'stats', stats } satisfies FromAttackers)
}
