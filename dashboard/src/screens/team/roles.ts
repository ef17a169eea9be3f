import type { Role } from '../../api/session.ts'

export const ROLES: Role[] = ['owner', 'admin', 'developer', 'finance', 'support', 'viewer']

/** Only an owner makes and unmakes owners. */
export const mayMake = (own: Role | undefined, role: Role): boolean =>
  own === 'owner' || role !== 'owner'
