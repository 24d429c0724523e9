import { isDevelopmentNetwork } from '../config/networkSpec.ts'
import type { Config } from '../config/schema.ts'
import { ALL_MODULES } from '../rpc/availability.ts'
import { isLoopbackHost } from '../util/webOrigin.ts'
import { NodeError } from './errors.ts'

/** The options that say what may be asked by whoever reaches the node. */
type Exposed = Pick<Config, 'host' | 'modules' | 'network' | 'forkUrl' | 'wallet' | 'allowRemoteControl'>

/**
 * Refuses to offer control over the chain or over keys to the network around the machine.
 * @throws NodeError `EXPOSED`
 */
export function assertSafeExposure(config: Exposed): void {
  if (config.allowRemoteControl || isLoopbackHost(config.host)) return
  const open = controlModules(config)
  if (open.length === 0) return
  throw new NodeError(
    'EXPOSED',
    `on ${config.host} everybody who reaches the machine could use ${open.join(' and ')}: listen on 127.0.0.1, ` +
      'close the modules (--profile hosted, --modules, --no-wallet), or insist with --allow-remote-control',
  )
}

function controlModules({ modules, network, forkUrl, wallet }: Exposed): string[] {
  const isOpen = (name: string) => modules.includes(ALL_MODULES) || modules.includes(name)
  const open: string[] = []
  if (isOpen('evm') && isDevelopmentNetwork({ name: network, fork: forkUrl })) open.push('the module evm')
  if (wallet && (isOpen('personal') || isOpen('eth'))) open.push('the keys of the wallet')
  return open
}
