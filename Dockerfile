# One image for every process of Orbweaver; the command says which: dist/workers/main.js (the default),
# dist/api/main.js, dist/stack/prepare-namespace.js, dist/stack/guard-temporal-web.js.

FROM node:24-bookworm-slim AS build
WORKDIR /app
# The packages first: they change less often than the code.
COPY package.json package-lock.json .npmrc ./
COPY stack/bootstrap.sh stack/
RUN sh stack/bootstrap.sh node --version
COPY . .
RUN npm run build && npm prune --omit=dev --no-audit --no-fund && rm -rf .cache

FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# A volume mounted here takes over this folder's owner.
RUN mkdir /data && chown node:node /data
USER node
ENV ORBWEAVER_DATA=/data ORBWEAVER_CACHE=/tmp/orbweaver
VOLUME /data
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--enable-source-maps"]
CMD ["dist/workers/main.js"]
