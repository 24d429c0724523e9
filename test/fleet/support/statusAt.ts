import type { MemberProcess } from '../cluster/memberProcess.ts'

/** HTTP status with which a member answers a request with a key. */
export async function statusAt({ origin }: Pick<MemberProcess, 'origin'>, secret: string): Promise<number> {
  const response = await fetch(`${origin}/${secret}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
  })
  await response.arrayBuffer()
  return response.status
}
