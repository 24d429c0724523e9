import type { Access } from '../../test/guard/lightScene.ts'

/** Who asks, and of which node. */
export const ACCESSES: readonly Access[] = ['dev', 'hosted', 'hosted, key']

/** How requests come that do not come over HTTP. */
export const SOCKETS = 'WebSocket'

/** The request. */
export const BODY: string = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'eth_getBalance',
  params: ['0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826', 'latest'],
})

/** What a stage is called in counts. */
export function labelOf(access: Access, transport: string, stage: string): string {
  return `${access}, ${transport}: ${stage}`
}
