# docs/containers.md describes the image. To pin the base image, name its digest:
#
#   docker build --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:… -t pets-gateway:1.0.0 .
ARG NODE_IMAGE=node:24-bookworm-slim

# The packages that the gateway runs with, and their list as an SBOM.
FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --no-audit --no-fund \
  && npm sbom --package-lock-only --omit=dev --sbom-format=cyclonedx > sbom.cdx.json

FROM ${NODE_IMAGE} AS build
WORKDIR /app
# First what changes rarely: the packages that build the gateway and the documentation site.
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --no-audit --no-fund
COPY bin/take-turn.cjs ./bin/
COPY scripts/tools.mjs ./scripts/
COPY tools/docs/package.json tools/docs/package-lock.json ./tools/docs/
RUN --mount=type=cache,target=/root/.npm node scripts/tools.mjs docs
COPY tsconfig.json ./
COPY bin ./bin
COPY src ./src
COPY dashboard ./dashboard
# The dashboard is checked against it.
COPY schema ./schema
RUN node bin/build-if-stale.cjs
COPY docs ./docs
COPY tools/docs ./tools/docs
COPY scripts ./scripts
RUN npm run docs

FROM ${NODE_IMAGE}
ARG VERSION=1.0.0
# The commit, and the time of the build in the format of RFC 3339.
ARG REVISION=unknown
ARG CREATED=unknown
LABEL org.opencontainers.image.title="pets-gateway" \
  org.opencontainers.image.description="The Animal Adoption Store gateway: REST and GraphQL, API keys, quotas and custom domains" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.created="${CREATED}"
# The MongoDB that the gateway downloads if MONGODB_URI is not set requires libcurl.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install -y --no-install-recommends libcurl4 \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/* /var/log/* \
  && install -d -o 1000 -g 1000 -m 700 /data
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data CACHE_DIR=/data/cache
WORKDIR /app
COPY deploy/container-entrypoint.sh /usr/local/bin/
COPY --from=packages /app/package.json /app/sbom.cdx.json ./
COPY --from=packages /app/node_modules ./node_modules
COPY schema ./schema
COPY vendor ./vendor
COPY --from=build /app/bin ./bin
COPY --from=build /app/dist ./dist
USER 1000:1000
EXPOSE 3000
# A busy machine may take seconds to start Node.
HEALTHCHECK --interval=10s --timeout=10s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["container-entrypoint.sh"]
CMD ["node", "bin/pets-gateway.js", "serve"]
