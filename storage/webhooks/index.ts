/** Webhooks and their queues of deliveries. */
export { claimDueWebhooks, restWebhook } from './queue.sql.ts';
export { nextDelivery, settleDelivered, settleFailed, type Delivery, type Failure } from './webhook-queue.ts';
export {
  createWebhook,
  webhooksOf,
  readWebhook,
  editWebhook,
  removeWebhook,
  replay,
  requestTest,
  readDeliveries,
  type VersionedWebhook,
} from './webhooks.ts';
