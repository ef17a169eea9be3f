import type { Route } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { catalogueRoutes } from './catalogue/routes.ts'
import { deliveryFeeRoutes } from './delivery-fees/routes.ts'
import { discountRoutes } from './discounts/routes.ts'
import { optionRoutes } from './options/routes.ts'
import { variantRoutes } from './variants/routes.ts'

/** What is sold, in all its parts. */
export const productRoutes = (deps: Deps): Route[] => [
  ...catalogueRoutes(deps),
  ...optionRoutes(deps),
  ...variantRoutes(deps),
  ...deliveryFeeRoutes(deps),
  ...discountRoutes(deps),
]
