import type { Caller } from '../lib/tenant.ts'

/** Whether a caller has a scope, for what is left out of an answer rather than refused. */
export function may({ scopes }: Pick<Caller, 'scopes'>, scope: string): boolean {
  if (scopes === null || scopes.includes(scope)) return true
  const [collection, verb] = scope.split(':')
  return verb === 'read' && scopes.includes(`${collection}:write`)
}
