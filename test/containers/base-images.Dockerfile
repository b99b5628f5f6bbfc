# The images that Dockerfile and docker-compose.yml name, made of packages from Debian and npm, for machines that reach no
# registry of images. Each has what those two files use of the official image: programs, users, folders, entrypoint.
# base-images.ts imports the image `debian`, and fills the context.
FROM pets-gateway-test/debian AS node
COPY node /usr/local
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
  && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \
  && groupadd --gid 1000 node && useradd --uid 1000 --gid node --create-home node
# The certificate authorities that this machine trusts, for a registry of packages behind a proxy of one's own.
COPY ca.pem /etc/ssl/machine-ca.pem
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/machine-ca.pem
CMD ["node"]

FROM node AS mongo
RUN apt-get update && apt-get install -y --no-install-recommends libcurl4 && rm -rf /var/lib/apt/lists/*
COPY mongosh /opt/mongosh
RUN ln -s /opt/mongosh/node_modules/.bin/mongosh /usr/local/bin/mongosh \
  && groupadd --gid 999 mongodb && useradd --uid 999 --gid mongodb --home-dir /data/db mongodb \
  && install -d -o mongodb -g mongodb /data/db /data/configdb
COPY mongod /usr/local/bin/
VOLUME ["/data/db", "/data/configdb"]

FROM pets-gateway-test/debian AS redis
RUN apt-get update && apt-get install -y --no-install-recommends redis-server && rm -rf /var/lib/apt/lists/* \
  && install -d -o redis -g redis /data
VOLUME /data
WORKDIR /data

FROM pets-gateway-test/debian AS nginx
RUN apt-get update && apt-get install -y --no-install-recommends nginx-light && rm -rf /var/lib/apt/lists/* \
  && groupadd --gid 101 nginx && useradd --uid 101 --gid nginx --home-dir /nonexistent nginx \
  && ln -sf /dev/stdout /var/log/nginx/access.log && ln -sf /dev/stderr /var/log/nginx/error.log
COPY nginx.conf /etc/nginx/nginx.conf
CMD ["nginx", "-g", "daemon off;"]

FROM pets-gateway-test/debian AS prometheus
RUN apt-get update && apt-get install -y --no-install-recommends prometheus && rm -rf /var/lib/apt/lists/* \
  && install -d -o nobody -g nogroup /prometheus
USER nobody
ENTRYPOINT ["prometheus", "--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/prometheus"]
