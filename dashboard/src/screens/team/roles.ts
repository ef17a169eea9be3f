import type { Role } from '../../api/session.ts'

export const ROLES: Role[] = ['owner', 'admin', 'developer', 'finance', 'support', 'viewer']

/** As a person reads it: `Owner`. */
export const roleName = (role: Role): string => role.replace(/^./, (first) => first.toUpperCase())

/** Only an owner makes and unmakes owners. */
export const mayMake = (own: Role | undefined, role: Role): boolean =>
  own === 'owner' || role !== 'owner'
