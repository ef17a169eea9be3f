import { Type } from 'typebox'
import { RecordId } from '../../../lib/schemas.ts'
import { ProductId } from '../catalogue/schemas.ts'
import { NewOptions, OptionName, OptionValue } from './plan.ts'

const OptionId = RecordId('An option of the product.')
const OptionVariantId = RecordId('A value of the option.')

const option = { productId: ProductId, optionId: OptionId }
const value = { ...option, optionVariantId: OptionVariantId }

export const AddOptions = Type.Object({ productId: ProductId, options: NewOptions })
export const UpdateOption = Type.Object({ ...option, name: OptionName })
export const DeleteOption = Type.Object(option)
export const AddValue = Type.Object({ ...option, value: OptionValue })
export const UpdateValue = Type.Object({ ...value, value: OptionValue })
export const DeleteValue = Type.Object(value)
