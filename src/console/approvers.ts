import type { Db } from '../db/database.ts'
import type { Tenant } from '../lib/tenant.ts'
import { selectOther } from './queries-team.ts'
import { ROLES, scopesOf } from './roles.ts'

/** Whether somebody else of the business may approve transfers. */
export const hasOtherApprover = (
  db: Db,
  { businessId, live }: Tenant,
  personId: number,
): Promise<boolean> => {
  const roles = ROLES.filter((role) => scopesOf(role, live).includes('transfers:write'))
  return selectOther(db, businessId, personId, roles)
}
